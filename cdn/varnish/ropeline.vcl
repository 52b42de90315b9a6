# Varnish 7 in front of the edge: what everybody gets alike is kept for its second and fetched once for all who ask
# meanwhile; everything else goes through untouched. Nothing here decides who may enter: the edge does.
#
#	varnishd -f ropeline.vcl -a :80 -s malloc,256m
vcl 4.1;

# The static waiting page for newcomers, where a room has `wait_page on` (README.md):
# include "/etc/varnish/ropeline-wait.vcl";

import std;

backend edge {
	.host = "127.0.0.1";
	.port = "8080";
	.max_connections = 2000;
	.connect_timeout = 2s;
	.first_byte_timeout = 30s;
	# Says when stale maps are better than none. The status of any room of the edge will do.
	.probe = {
		.url = "/.well-known/ropeline/boxoffice/status";
		.interval = 2s;
		.timeout = 2s;
		.window = 3;
		.threshold = 2;
		.initial = 2;
	}
}

acl purgers {
	"127.0.0.1";
	"::1";
}

sub vcl_recv {
	if (req.method == "PURGE") {
		if (client.ip !~ purgers) {
			return (synth(405, "Not allowed"));
		}
		return (purge);
	}
	if (req.http.Upgrade ~ "(?i)websocket") {
		return (pipe);
	}
	if (req.method != "GET" && req.method != "HEAD") {
		return (pass);
	}

	# The allow-list. A path that is not on it may be somebody's own, or may have to queue.
	if (req.url ~ "^/\.well-known/ropeline/[a-z0-9_-]+/(status|jwks\.json|draw|draw/list|wait(/[0-9a-f]+/[a-z0-9-]+)?)(\?|$)"
		|| req.url ~ "^/v1/events(\?|$)"
		|| req.url ~ "^/v1/events/[a-z0-9-]+(/seats(\.bin)?(/since/[0-9]+\.[0-9]+)?)?(\?|$)"
		|| req.url ~ "^/v1/geometry/[0-9a-f]+(\?|$)"
		|| req.url ~ "^/assets/"
		|| req.url ~ "^/openapi\.json(\?|$)") {
		# Who asks makes no difference here, so it must not make another object.
		unset req.http.Cookie;
		unset req.http.Authorization;
		unset req.http.Ropeline-Pass;
		unset req.http.Ropeline-Ticket;
		if (req.url ~ "^/v1/events(\?|$)") {
			set req.url = std.querysort(req.url);
		} else if (req.url !~ "^/assets/") {
			set req.url = regsub(req.url, "\?.*$", "");
		}
		# A little late while the next one is fetched, a minute late while there is nobody to fetch it from.
		if (std.healthy(req.backend_hint)) {
			set req.grace = 2s;
		}
		return (hash);
	}
	return (pass);
}

sub vcl_backend_response {
	if (beresp.http.Ropeline-Answer || beresp.http.Set-Cookie || beresp.http.Cache-Control ~ "(?i)private|no-store") {
		# Remembered for a second as not to be kept: else everybody who asks for it would wait for the one before.
		set beresp.uncacheable = true;
		set beresp.ttl = 1s;
		return (deliver);
	}
	if (beresp.status >= 500) {
		if (bereq.is_bgfetch) {
			return (abandon); # the one that is kept is better
		}
		set beresp.uncacheable = true;
		set beresp.ttl = 1s;
		return (deliver);
	}
	set beresp.grace = 60s;
	if (bereq.url ~ "^/\.well-known/ropeline/[a-z0-9_-]+/wait(/|$)") {
		set beresp.grace = 24h; # who comes while the edge is away is told so, and joins when it is back
	}
	return (deliver);
}

sub vcl_backend_error {
	set beresp.http.Cache-Control = "no-store";
	set beresp.http.Retry-After = "5";
	set beresp.http.Content-Type = "text/plain; charset=utf-8";
	synthetic("The site does not answer just now. Please try again in a moment; a place in line is not lost.");
	return (deliver);
}

sub vcl_pipe {
	set bereq.http.Upgrade = req.http.Upgrade;
	set bereq.http.Connection = req.http.Connection;
}

sub vcl_deliver {
	if (obj.hits > 0) {
		set resp.http.X-Cache = "hit";
	} else {
		set resp.http.X-Cache = "miss";
	}
	unset resp.http.X-Varnish;
	unset resp.http.Via;
}
