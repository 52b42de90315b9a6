(function () {
'use strict';
var c = JSON.parse(document.getElementById('rl').textContent), html = document.documentElement, lang = c.langs[0];
// The first of the visitor's languages that there is, each shortened from its end: zh-hant-tw, zh-hant, zh.
(navigator.languages || [navigator.language || '']).some(function (tag) {
  for (tag = String(tag).toLowerCase(); tag; tag = tag.slice(0, Math.max(0, tag.lastIndexOf('-')))) if (c.langs.indexOf(tag) >= 0) { lang = tag; return true; }
  return false;
});
html.className = 'js';
setTimeout(function () { html.className = ''; }, 5000); // the page does not come: the buttons do without it
location.replace(c.at + lang + location.hash);
})();
