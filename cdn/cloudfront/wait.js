// The static waiting page, for a room with `wait_page on` (README.md): a CloudFront function (cloudfront-js-2.0) of the viewer's
// request, for the default behaviour of ropeline.yaml. `boxoffice` is the room, and the list of paths what its matcher leaves out.
function handler(event) {
  var r = event.request, h = r.headers;
  var has = function (name) { return h[name] ? h[name].value : ''; };
  var page = has('sec-fetch-mode') === 'navigate' || !has('sec-fetch-mode') && has('accept').indexOf('text/html') >= 0;
  var newcomer = r.method === 'GET' && page && (!has('sec-fetch-dest') || has('sec-fetch-dest') === 'document') && !has('sec-purpose') && !has('purpose') &&
    !has('ropeline-pass') && !has('ropeline-ticket') &&
    !r.cookies['__Host-rl-p-boxoffice'] && !r.cookies['__Secure-rl-p-boxoffice'] &&
    !/^\/(\.well-known|assets|sign-in|sign-out|dev|checkout|orders|tickets|fakepay|webhooks|v1)(\/|$)/.test(r.uri) &&
    !/^\/(favicon\.ico|robots\.txt|openapi\.json|healthz|readyz)$/.test(r.uri);
  if (!newcomer) return r;
  var query = r.rawQueryString();
  return {
    statusCode: 302,
    statusDescription: 'Found',
    headers: {
      // Where the visitor wanted to go stands behind the #, which no server and no log sees.
      'location': { value: '/.well-known/ropeline/boxoffice/wait#' + r.uri + (query === undefined ? '' : '?' + query) },
      'cache-control': { value: 'private, no-store' },
      'ropeline-answer': { value: 'wait' }
    }
  };
}
