// Every sentence a script says, in the visitor's language. texts.js is written by
// the server from texts/<language>.json; its address names the language.

import { format, texts } from './texts.js';
import { number } from './format.js';

const rules = new Intl.PluralRules(format.lang);

// t returns a text with its holes filled: t('pay', { price: '€90' }).
export function t(key, values) {
  return fill(form(key, 'other'), values);
}

// count returns the text about n things; {n} is n.
export function count(key, n, values) {
  return fill(form(key, rules.select(n)), { n, ...values });
}

// parts is a text as a list for h(), with elements in its holes.
export function parts(key, values) {
  return form(key, 'other').split(/(\{\w+\})/).map((piece) => {
    const name = /^\{(\w+)\}$/.exec(piece)?.[1];
    return name in values ? values[name] : piece;
  });
}

// sentences puts one after the other, as far as there are any.
export function sentences(...list) {
  return list.filter(Boolean).join(format.lang === 'zh' ? '' : ' ');
}

// list joins names.
export function list(names) {
  return names.map(isolated).join(format.rtl ? '؛ ' : '; ');
}

function form(key, category) {
  const text = texts[key];
  if (text === undefined) return key; // a test finds it before a visitor does
  return typeof text === 'string' ? text : text[category] ?? text.other;
}

function fill(text, values = {}) {
  return text.replace(/\{(\w+)\}/g, (hole, name) => {
    if (!(name in values)) return hole;
    const value = values[name];
    return typeof value === 'number' ? number(value) : isolated(value);
  });
}

// isolated: a name in another script keeps to itself and does not turn the words
// around it (first-strong isolate, as the server does). Names that stand in an
// element of their own have <bdi>; a sentence never does, since that would take
// its direction from the first name in it.
export function isolated(value) {
  return format.rtl && value ? `\u2068${value}\u2069` : String(value);
}
