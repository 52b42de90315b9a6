# Fastly in front of the edge. Paste each part as a VCL snippet of the named subroutine; the backend is the edge, with
# "shielding" on, so that one data centre asks for all. `automatic retries` and `failover` of the backend stay off.

# snippet: recv
# The allow-list. A path that is not on it may be somebody's own, or may have to queue.
if (req.method !~ "^(GET|HEAD)$"
  || !(req.url.path ~ "^/\.well-known/ropeline/[a-z0-9_-]+/(status|jwks\.json|draw|draw/list|wait(/[0-9a-f]+/[a-z0-9-]+)?)$"
    || req.url.path == "/v1/events"
    || req.url.path ~ "^/v1/events/[a-z0-9-]+(/seats(\.bin)?(/since/[0-9]+\.[0-9]+)?)?$"
    || req.url.path ~ "^/v1/geometry/[0-9a-f]+$"
    || req.url.path ~ "^/assets/"
    || req.url.path == "/openapi.json")) {
  return(pass);
}
# Who asks makes no difference here, so it must not make another object.
unset req.http.Cookie;
unset req.http.Authorization;
unset req.http.Ropeline-Pass;
unset req.http.Ropeline-Ticket;
if (req.url.path == "/v1/events") {
  set req.url = querystring.sort(querystring.filter_except(req.url, "q" querystring.filtersep() "place" querystring.filtersep() "from" querystring.filtersep() "to" querystring.filtersep() "date"));
} else if (req.url.path !~ "^/assets/") {
  set req.url = req.url.path;
}

# snippet: fetch
if (beresp.http.Ropeline-Answer || beresp.http.Set-Cookie || beresp.http.Cache-Control ~ "(?i)private|no-store") {
  # A waiting page is an answer: never kept, never replaced by a stale one, never asked for again.
  return(pass);
}
if (beresp.status >= 500 && stale.exists) {
  return(deliver_stale);
}
set beresp.stale_if_error = 60s;
set beresp.stale_while_revalidate = 2s;
if (req.url.path ~ "^/\.well-known/ropeline/[a-z0-9_-]+/wait(/|$)") {
  set beresp.stale_if_error = 24h;
}

# snippet: error
if (obj.status >= 500 && stale.exists) {
  return(deliver_stale);
}
