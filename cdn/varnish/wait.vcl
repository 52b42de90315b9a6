# The static waiting page, for a room with `wait_page on`: whoever comes without a pass is sent to a page that this cache
# keeps, so that a first wave never reaches the edge. The page asks for its place by one small request. Include it at the
# top of ropeline.vcl, behind `vcl 4.1;`; `boxoffice` is the room, and the list of paths what its matcher leaves out.
sub vcl_recv {
	unset req.http.Ropeline-Cdn;
	if (req.url ~ "^/\.well-known/ropeline/boxoffice/wait(/|\?|$)") {
		set req.http.Ropeline-Cdn = "wait"; # the edge gives the page out only where it hears that this rule is there
	} elseif (req.method == "GET"
		&& (req.http.Sec-Fetch-Mode == "navigate" || !req.http.Sec-Fetch-Mode && req.http.Accept ~ "text/html")
		&& (!req.http.Sec-Fetch-Dest || req.http.Sec-Fetch-Dest == "document")
		&& !req.http.Sec-Purpose && !req.http.Purpose
		&& !req.http.Ropeline-Pass && !req.http.Ropeline-Ticket
		&& req.http.Cookie !~ "(^|;\s*)(__Host-|__Secure-)?rl-p-boxoffice="
		&& req.url !~ "^/(\.well-known|assets|sign-in|sign-out|dev|checkout|orders|tickets|fakepay|webhooks|v1)(/|\?|$)"
		&& req.url !~ "^/(favicon\.ico|robots\.txt|openapi\.json|healthz|readyz)(\?|$)") {
		return (synth(750, "To the waiting page"));
	}
}

sub vcl_synth {
	if (resp.status == 750) {
		set resp.status = 302;
		set resp.reason = "Found";
		# Where the visitor wanted to go stands behind the #, which no server and no log sees.
		set resp.http.Location = "/.well-known/ropeline/boxoffice/wait#" + req.url;
		set resp.http.Cache-Control = "private, no-store";
		set resp.http.Ropeline-Answer = "wait";
		synthetic("");
		return (deliver);
	}
}
