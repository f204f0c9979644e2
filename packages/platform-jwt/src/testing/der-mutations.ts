/**
 * Wrong spellings of the DigestInfo inside an RSASSA-PKCS1-v1_5 signature (RFC 8017 §9.2): a verifier
 * that parses it in place of comparing it can accept a forged one (CVE-2006-4339).
 */
import { constants, createHash, privateEncrypt } from 'node:crypto';
import type { SigningKey } from './signing-key.ts';

interface Node {
  tag: number;
  content: Buffer | Node[];
}

const sha512 = Buffer.from('608648016503040203', 'hex');
const sha256 = Buffer.from('608648016503040201', 'hex');

function digestInfo(digest: Buffer): Node {
  const algorithm: Node[] = [
    { tag: 0x06, content: sha512 },
    { tag: 0x05, content: Buffer.alloc(0) },
  ];
  return {
    tag: 0x30,
    content: [
      { tag: 0x30, content: algorithm },
      { tag: 0x04, content: digest },
    ],
  };
}

type Mutation = (tag: number, content: Buffer) => Buffer;

const bytes = (...parts: (number | Buffer)[]) =>
  Buffer.concat(parts.map((part) => (typeof part === 'number' ? Buffer.from([part]) : part)));
const tlv = (tag: number, content: Buffer) => bytes(tag, content.length, content);
const nothing = Buffer.alloc(0);
const zeros = Buffer.alloc(2);

/** Each replaces one element; together they are the classes of modified padding. */
const mutations: Record<string, Mutation> = {
  'a length in long form': (tag, content) => bytes(tag, 0x81, content.length, content),
  'a length with a leading zero': (tag, content) => bytes(tag, 0x82, 0, content.length, content),
  'a length one too large': (tag, content) => bytes(tag, content.length + 1, content),
  'a length one too small': (tag, content) => bytes(tag, (content.length + 255) % 256, content),
  'a length that overflows 32 bits': (tag, content) =>
    bytes(tag, Buffer.from('8501000000', 'hex'), content.length, content),
  'a length that overflows 64 bits': (tag, content) =>
    bytes(tag, Buffer.from('890100000000000000', 'hex'), content.length, content),
  'a length of 2^31 - 1': (tag, content) => bytes(tag, Buffer.from('847fffffff', 'hex'), content),
  'a length of 2^31': (tag, content) => bytes(tag, Buffer.from('8480000000', 'hex'), content),
  'a length of 2^32 - 1': (tag, content) => bytes(tag, Buffer.from('84ffffffff', 'hex'), content),
  'a length of 2^40 - 1': (tag, content) => bytes(tag, Buffer.from('85ffffffffff', 'hex'), content),
  'a length of 2^64 - 1': (tag, content) =>
    bytes(tag, Buffer.from('88ffffffffffffffff', 'hex'), content),
  'the length ff': (tag, content) => bytes(tag, 0xff, content),
  'an indefinite length without end': (tag, content) => bytes(tag, 0x80, content),
  'an indefinite length': (tag, content) => bytes(tag, 0x80, content, zeros),
  'an indefinite length, cut': (tag, content) => bytes(tag, 0x80, content, 0),
  'an indefinite length with garbage': (tag, content) =>
    bytes(tag, 0x80, content, Buffer.from('06810000', 'hex')),
  'an end of contents that is not empty': (tag, content) =>
    bytes(tag, 0x80, content, Buffer.from('0001', 'hex')),
  'nothing in its place': () => nothing,
  'its tag alone': (tag) => bytes(tag),
  'its length cut off': (tag) => bytes(tag, 0x81),
  'zeros inside at the end': (tag, content) => tlv(tag, bytes(content, zeros)),
  'zeros inside at the start': (tag, content) => tlv(tag, bytes(zeros, content)),
  'unused zeros behind it': (tag, content) => bytes(tlv(tag, content), zeros),
  'a NULL inside': (tag, content) => tlv(tag, bytes(content, 0x05, 0x00)),
  'a NULL with an explicit tag': (tag, content) =>
    tlv(tag, bytes(content, Buffer.from('a0020500', 'hex'))),
  'a NULL with an implicit tag': (tag, content) => tlv(tag, bytes(content, 0xa0, 0x00)),
  'garbage before it': (tag, content) => tlv(tag, bytes(Buffer.from('498177', 'hex'), content)),
  'garbage inside': (tag, content) => tlv(tag, bytes(content, Buffer.from('deadbeef', 'hex'))),
  'a high tag number inside': (tag, content) =>
    tlv(tag, bytes(content, Buffer.from('bf7f00', 'hex'))),
  'undefined tags': (tag, content) => tlv(tag, bytes(Buffer.from('aa00bb00cd00', 'hex'), content)),
  'a composition': (tag, content) => tlv(tag | 0x20, tlv(tag, content)),
  'a composition of indefinite length': (tag, content) =>
    bytes(tag | 0x20, 0x80, tlv(tag, content), zeros),
  'a composition with a wrong tag': (tag, content) =>
    bytes(Buffer.from('aa02bb00', 'hex'), tlv(tag, content)),
  'NULL in its place': () => bytes(0x05, 0x00),
  'a tag of class application': (tag, content) => tlv(tag | 0x40, content),
  'a tag of class private': (tag, content) => tlv(tag | 0xc0, content),
  'the tag zero': (_, content) => tlv(0, content),
  'the tag ff': (_, content) => tlv(0xff, content),
  'the tag next to its own': (tag, content) => tlv(tag ^ 1, content),
  'no value': (tag) => bytes(tag, 0x00),
  'its first byte changed': (tag, content) =>
    tlv(tag, bytes((content[0] ?? 0) ^ 1, content.subarray(1))),
  'its last byte changed': (tag, content) =>
    tlv(tag, bytes(content.subarray(0, -1), (content.at(-1) ?? 0) ^ 0x80)),
  'its first byte missing': (tag, content) =>
    tlv(tag, bytes(content.subarray(1), content.length ? nothing : 1)),
  'its last byte missing': (tag, content) =>
    tlv(tag, bytes(content.subarray(0, -1), content.length ? nothing : 2)),
  'itself twice': (tag, content) => bytes(tlv(tag, content), tlv(tag, content)),
  'an empty sequence before it': (tag, content) => bytes(0x30, 0x00, tlv(tag, content)),
  'a sequence around it': (tag, content) => tlv(0x30, tlv(tag, content)),
  'the identifier of SHA-256 in its place': () => tlv(0x06, sha256),
  'a longer identifier': (tag, content) => tlv(tag, bytes(content, 1)),
};

const elements: Record<string, number[]> = {
  'the whole': [],
  'the algorithm': [0],
  'the identifier': [0, 0],
  'the parameters': [0, 1],
  'the digest': [1],
};

function encode(node: Node, path: readonly number[] | undefined, mutate: Mutation): Buffer {
  const content = Buffer.isBuffer(node.content)
    ? node.content
    : Buffer.concat(
        node.content.map((child, index) =>
          encode(child, path?.[0] === index ? path.slice(1) : undefined, mutate),
        ),
      );
  return path?.length === 0 ? mutate(node.tag, content) : tlv(node.tag, content);
}

/** Every wrong DigestInfo of this input for SHA-512, with what is wrong about it. */
export function mutateDigestInfo(input: string): [string, Buffer][] {
  const digest = createHash('sha512').update(input).digest();
  const good = encode(digestInfo(digest), undefined, tlv);
  return Object.entries(elements)
    .flatMap(([element, path]) =>
      Object.entries(mutations).map(([name, mutate]): [string, Buffer] => [
        `${element}: ${name}`,
        encode(digestInfo(digest), path, mutate),
      ]),
    )
    .filter(([, wrong]) => !wrong.equals(good));
}

export function encodeDigestInfo(input: string): Buffer {
  return encode(digestInfo(createHash('sha512').update(input).digest()), undefined, tlv);
}

/** The PKCS #1 block of `modulusBytes`, as RFC 8017 §9.2 pads it. */
export function padBlock(content: Buffer, modulusBytes = 256): Buffer {
  const padding = Buffer.alloc(modulusBytes - content.length - 3, 0xff);
  return bytes(0x00, 0x01, padding, 0x00, content);
}

/** The private key's operation on any block. */
export function signBlock(block: Buffer, { privateKey }: SigningKey): Buffer {
  return privateEncrypt({ key: privateKey, padding: constants.RSA_NO_PADDING }, block);
}
