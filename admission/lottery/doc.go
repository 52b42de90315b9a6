// Package lottery is the draw among those who were in the line before it opened: a keyed permutation of arrival
// indexes. A draw of a million people costs one hash, is the same on every edge, and anyone can recompute it.
//
// Before the pre-queue the operator publishes a commitment to a secret and the source of a public value. At the
// opening the number of participants n is frozen, then the root over their ids is published, and only then the secret
// is revealed. With public entropy nobody could choose the result; with none, the check proves that nothing was
// changed after the commitment.
//
// Integers are 8 bytes, big endian; "|" joins bytes.
//
//	commit = SHA-256(secret)
//	root   = SHA-256(SHA-256(vid_0) | ... | SHA-256(vid_n-1))         the vid's text; 32 zero bytes where it is unknown
//	seed   = SHA-256("ropeline-draw-1" | secret | len(entropy) | entropy | root | n)
//	place(i) for i < n: b = max(2, ceil(log2 n)) bits are split into a left half of floor(b/2) and a right half of
//	ceil(b/2). Ten rounds (twenty when b is 3): in the even ones (0, 2 ..) left ^= F(right), in the odd ones right ^= F(left), where F is the
//	first 8 bytes of HMAC-SHA256(seed, "r" | round, one byte | n | half), cut to the low bits of the half it changes.
//	While the result is n or more it is permuted again. place(i) = i for i >= n.
//
// verify.py is the same in twenty lines of Python; testdata/vectors.json was made by it.
package lottery
