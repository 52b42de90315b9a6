#!/usr/bin/env python3
"""Recompute a draw:  verify.py <secret hex> <root hex> <n> <entropy> <index>...   (entropy "" when the source is none)"""
import hashlib, hmac, sys

def seed(secret, entropy, root, n):
    return hashlib.sha256(b"ropeline-draw-1" + secret + len(entropy).to_bytes(8, "big") + entropy + root + n.to_bytes(8, "big")).digest()

def place(seed, n, i):
    if n < 2 or i >= n: return i
    bits = max(2, (n - 1).bit_length()); right = bits - bits // 2
    mask = [(1 << bits // 2) - 1, (1 << right) - 1]
    while True:
        half = [i >> right, i & mask[1]]
        for r in range(20 if bits == 3 else 10):
            msg = b"r" + bytes([r]) + n.to_bytes(8, "big") + half[1 - r % 2].to_bytes(8, "big")
            half[r % 2] ^= int.from_bytes(hmac.new(seed, msg, "sha256").digest()[:8], "big") & mask[r % 2]
        i = half[0] << right | half[1]
        if i < n: return i

if __name__ == "__main__":
    secret, root, n, entropy = bytes.fromhex(sys.argv[1]), bytes.fromhex(sys.argv[2]), int(sys.argv[3]), sys.argv[4].encode()
    s = seed(secret, entropy, root, n)
    print("commit", hashlib.sha256(secret).hexdigest()); print("seed", s.hex())
    for i in map(int, sys.argv[5:]): print(i, "->", place(s, n, i))
