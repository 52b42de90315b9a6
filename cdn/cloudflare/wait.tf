# The static waiting page, for a room with `wait_page on` (README.md): beside ropeline.tf. `boxoffice` is the room, and the list
# of paths what its matcher leaves out.

locals {
  wait_page = "(http.request.uri.path eq \"/.well-known/ropeline/boxoffice/wait\" or starts_with(http.request.uri.path, \"/.well-known/ropeline/boxoffice/wait/\"))"
  # A newcomer opens a page: no pass, neither as cookie nor as header.
  newcomer = join(" and ", [
    "(http.host eq \"${var.host}\")",
    "(http.request.method eq \"GET\")",
    "(any(http.request.headers[\"sec-fetch-mode\"][*] eq \"navigate\") or (not any(http.request.headers[\"sec-fetch-mode\"][*] ne \"\") and any(http.request.headers[\"accept\"][*] contains \"text/html\")))",
    "(not any(http.request.headers[\"sec-fetch-dest\"][*] ne \"document\"))",
    "(not any(http.request.headers[\"sec-purpose\"][*] ne \"\"))",
    "(not any(http.request.headers[\"ropeline-pass\"][*] ne \"\"))",
    "(not any(http.request.headers[\"ropeline-ticket\"][*] ne \"\"))",
    "(not http.cookie contains \"rl-p-boxoffice=\")",
    "(not http.request.uri.path matches \"^/(\\.well-known|assets|sign-in|sign-out|dev|checkout|orders|tickets|fakepay|webhooks|v1)(/|$)\")",
    "(not http.request.uri.path in {\"/favicon.ico\" \"/robots.txt\" \"/openapi.json\" \"/healthz\" \"/readyz\"})",
  ])
}

resource "cloudflare_ruleset" "ropeline_newcomers" {
  zone_id = var.zone_id
  name    = "Ropeline: newcomers"
  kind    = "zone"
  phase   = "http_request_dynamic_redirect"

  rules {
    description = "Whoever has no pass goes to the waiting page"
    expression  = local.newcomer
    action      = "redirect"
    action_parameters {
      from_value {
        status_code           = 302
        preserve_query_string = false
        # Where the visitor wanted to go stands behind the #, which no server and no log sees.
        target_url { expression = "concat(\"https://\", http.host, \"/.well-known/ropeline/boxoffice/wait#\", raw.http.request.uri)" }
      }
    }
  }
}

resource "cloudflare_ruleset" "ropeline_word" {
  zone_id = var.zone_id
  name    = "Ropeline: the rule is there"
  kind    = "zone"
  phase   = "http_request_late_transform"

  rules {
    description = "The edge gives the page out only where it hears that the rule is there"
    expression  = "(http.host eq \"${var.host}\") and ${local.wait_page}"
    action      = "rewrite"
    action_parameters {
      headers {
        name      = "Ropeline-Cdn"
        operation = "set"
        value     = "wait"
      }
    }
  }
}
