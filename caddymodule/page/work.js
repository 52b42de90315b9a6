// Proof of work: for each of the parts, a number whose SHA-256 together with the challenge's begins with enough zero
// bits. It runs in a worker; SubtleCrypto's promise for each try would cost more than the hash.
function solver(post) {
  var K = [], H0 = [];
  for (var n = 2; H0.length < 8 || K.length < 64; n++) {
    for (var prime = true, f = 2; f * f <= n; f++) if (n % f === 0) { prime = false; break; }
    if (!prime) continue;
    var frac = function (v) { return (v - Math.floor(v)) * 4294967296 | 0; };
    if (H0.length < 8) H0.push(frac(Math.sqrt(n)));
    if (K.length < 64) K.push(frac(Math.cbrt(n)));
  }
  var W = new Int32Array(64);
  function block(H) {
    for (var i = 16; i < 64; i++) {
      var x = W[i - 15], y = W[i - 2];
      W[i] = W[i - 16] + W[i - 7] + ((x >>> 7 | x << 25) ^ (x >>> 18 | x << 14) ^ x >>> 3) + ((y >>> 17 | y << 15) ^ (y >>> 19 | y << 13) ^ y >>> 10);
    }
    var a = H[0], b = H[1], c = H[2], d = H[3], e = H[4], f = H[5], g = H[6], h = H[7];
    for (i = 0; i < 64; i++) {
      var t = h + ((e >>> 6 | e << 26) ^ (e >>> 11 | e << 21) ^ (e >>> 25 | e << 7)) + (e & f ^ ~e & g) + K[i] + W[i] | 0;
      var u = ((a >>> 2 | a << 30) ^ (a >>> 13 | a << 19) ^ (a >>> 22 | a << 10)) + (a & b ^ a & c ^ b & c) | 0;
      h = g; g = f; f = e; e = d + t | 0; d = c; c = b; b = a; a = t + u | 0;
    }
    return [H[0] + a | 0, H[1] + b | 0, H[2] + c | 0, H[3] + d | 0, H[4] + e | 0, H[5] + f | 0, H[6] + g | 0, H[7] + h | 0];
  }
  function digest(s) { // of ASCII
    var H = H0, at = 0, bytes = s.length, end = (bytes + 9 + 63 >> 6) << 6;
    for (; at < end; at += 64) {
      for (var i = 0; i < 16; i++) for (var j = W[i] = 0; j < 4; j++) {
        var k = at + i * 4 + j;
        W[i] = W[i] << 8 | (k < bytes ? s.charCodeAt(k) : k === bytes ? 128 : 0);
      }
      if (at + 64 === end) W[15] = bytes * 8;
      H = block(H);
    }
    return H;
  }
  return function (challenge, bits, parts, done) {
    var seed = digest(challenge), part = 0, tries = 0, found = [];
    function slice() {
      for (var n = 0; n < 20000; n++) {
        for (var i = 0; i < 8; i++) W[i] = seed[i];
        W[8] = part; W[9] = tries; W[10] = -2147483648; W[11] = W[12] = W[13] = W[14] = 0; W[15] = 320;
        if (Math.clz32(block(H0)[0]) >= bits) {
          found.push(tries); tries = 0;
          if (++part === parts) return done(found);
          post(part / parts);
        } else tries++;
      }
      setTimeout(slice);
    }
    slice();
  };
}
