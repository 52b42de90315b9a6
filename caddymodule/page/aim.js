// Where the visitor wanted to go. It stands behind the # of this page's address, which anybody may have written into a link:
// only a path of this site, with its query, in the one spelling that a browser itself would send counts. All else is '/'.
function aim(hash, origin) {
  var to = hash.replace(/^#/, '');
  // "//host" and "/\host" are other hosts, and browsers drop tabs and line ends from between the two.
  if (to.length > 8192 || !/^\/(?![/\\])[^\\#\u0000-\u0020\u007f]*$/.test(to) || to.indexOf('/.well-known/ropeline/') === 0) return '/';
  try { return new URL(to, origin).href === origin + to ? to : '/'; } catch (e) { return '/'; }
}
