# The static waiting page, for a room with `wait_page on` (README.md): snippets beside those of ropeline.vcl. `boxoffice` is the
# room, and the list of paths what its matcher leaves out.

# snippet: recv, before the one of ropeline.vcl
unset req.http.Ropeline-Cdn;
if (req.url.path ~ "^/\.well-known/ropeline/boxoffice/wait(/|$)") {
  # The edge gives the page out only where it hears that this rule is there.
  set req.http.Ropeline-Cdn = "wait";
} else if (req.method == "GET"
  && (req.http.Sec-Fetch-Mode == "navigate" || (!req.http.Sec-Fetch-Mode && req.http.Accept ~ "text/html"))
  && (!req.http.Sec-Fetch-Dest || req.http.Sec-Fetch-Dest == "document")
  && !req.http.Sec-Purpose && !req.http.Purpose
  && !req.http.Ropeline-Pass && !req.http.Ropeline-Ticket
  && req.http.Cookie !~ "(^|;\s*)(__Host-|__Secure-)?rl-p-boxoffice="
  && req.url.path !~ "^/(\.well-known|assets|sign-in|sign-out|dev|checkout|orders|tickets|fakepay|webhooks|v1)(/|$)"
  && req.url.path !~ "^/(favicon\.ico|robots\.txt|openapi\.json|healthz|readyz)$") {
  error 750 "To the waiting page";
}

# snippet: error
if (obj.status == 750) {
  set obj.status = 302;
  set obj.response = "Found";
  # Where the visitor wanted to go stands behind the #, which no server and no log sees.
  set obj.http.Location = "/.well-known/ropeline/boxoffice/wait#" req.url;
  set obj.http.Cache-Control = "private, no-store";
  set obj.http.Ropeline-Answer = "wait";
  synthetic {""};
  return(deliver);
}
