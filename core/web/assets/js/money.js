// Amounts are integers in minor units; they become text here and nowhere else.

const formats = new Map();

function format(currency) {
  if (!formats.has(currency)) {
    formats.set(currency, new Intl.NumberFormat('en', {
      style: 'currency', currency, currencyDisplay: 'narrowSymbol', trailingZeroDisplay: 'stripIfInteger',
    }));
  }
  return formats.get(currency);
}

export function money(amount, currency) {
  const f = format(currency);
  return f.format(amount / 10 ** f.resolvedOptions().maximumFractionDigits);
}

export function plural(n, one, many) {
  return `${n} ${n === 1 ? one : many}`;
}
