# Cloudflare in front of the edge: one Cache Rule for what everybody gets alike, one that lets everything else through.
# `matches` needs a Business plan; below it, name your paths with starts_with. `zone_id` and `host` are yours. Purge with the API call "purge by URL"; nothing needs it.

variable "zone_id" { type = string }
variable "host" { type = string }

locals {
  # The allow-list. A path that is not on it may be somebody's own, or may have to queue.
  shared = join(" or ", [
    "(http.request.uri.path matches \"^/\\.well-known/ropeline/[a-z0-9_-]+/(status|jwks\\.json|draw|draw/list|wait(/[0-9a-f]+/[a-z0-9-]+)?)$\")",
    "(http.request.uri.path eq \"/v1/events\")",
    "(http.request.uri.path matches \"^/v1/events/[a-z0-9-]+(/seats(\\.bin)?(/since/[0-9]+\\.[0-9]+)?)?$\")",
    "(http.request.uri.path matches \"^/v1/geometry/[0-9a-f]+$\")",
    "(starts_with(http.request.uri.path, \"/assets/\"))",
    "(http.request.uri.path eq \"/openapi.json\")",
  ])
}

resource "cloudflare_ruleset" "ropeline" {
  zone_id = var.zone_id
  name    = "Ropeline"
  kind    = "zone"
  phase   = "http_request_cache_settings"

  rules {
    description = "Everything else is somebody's own"
    expression  = "(http.host eq \"${var.host}\")"
    action      = "set_cache_settings"
    action_parameters { cache = false }
  }
  # Later rules win.
  rules {
    description = "The same for everybody"
    expression  = "(http.host eq \"${var.host}\") and (http.request.method in {\"GET\" \"HEAD\"}) and (${local.shared})"
    action      = "set_cache_settings"
    action_parameters {
      cache = true
      edge_ttl { mode = "respect_origin" }
      browser_ttl { mode = "respect_origin" }
      serve_stale { disable_stale_while_updating = false }
      cache_key {
        custom_key {
          query_string { include = ["q", "place", "from", "to", "date"] }
        }
      }
    }
  }
}
