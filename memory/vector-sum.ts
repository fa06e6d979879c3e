/** A vector's fingerprint, to compare rows of two processes without sending them. 53 bits: exact in a number. */
export const sumVector = (vector: Float32Array): number => {
  const words = new Uint32Array(vector.buffer, vector.byteOffset, vector.length);
  let a = 0x811c9dc5;
  let b = 0x9e3779b9;
  for (let i = 0; i < words.length; i++) {
    const word = words[i] as number;
    a = Math.imul(a ^ word, 0x01000193);
    b = Math.imul(((b << 13) | (b >>> 19)) ^ word, 0x85ebca6b);
  }
  a ^= a >>> 15;
  b ^= b >>> 13;
  return (a >>> 0) * 2 ** 21 + (b >>> 11);
};
