/** A self-signed X.509 certificate (RFC 5280 §4.1), built by hand: node:crypto only reads them. */
import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';

const sha256WithRsa = Buffer.from('300d06092a864886f70d01010b0500', 'hex');
const commonName = Buffer.from('0603550403', 'hex');
/** subjectAltName: 127.0.0.1 and localhost. */
const alternativeNames = Buffer.from(
  `301a0603551d1104133011${'87047f000001'}${'8209'}${Buffer.from('localhost').toString('hex')}`,
  'hex',
);

function der(tag: number, ...contents: Buffer[]): Buffer {
  const content = Buffer.concat(contents);
  const { length } = content;
  const size = length < 128 ? [length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

function toPem(label: string, bytes: Buffer): string {
  const lines = bytes.toString('base64').match(/.{1,64}/g) ?? [];
  return `-----BEGIN ${label}-----\n${lines.join('\n')}\n-----END ${label}-----\n`;
}

function name(text: string): Buffer {
  return der(0x30, der(0x31, der(0x30, commonName, der(0x0c, Buffer.from(text)))));
}

/** Valid from 2020 to 2049. */
export function createCertificate(privateKey: KeyObject, publicKey: KeyObject): string {
  const validity = der(
    0x30,
    der(0x17, Buffer.from('200101000000Z')),
    der(0x17, Buffer.from('491231235959Z')),
  );
  const body = der(
    0x30,
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.from([1])),
    sha256WithRsa,
    name('dowel test'),
    validity,
    name('dowel test'),
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, der(0x30, alternativeNames)),
  );
  const signature = sign('sha256', body, privateKey);
  const certificate = der(0x30, body, sha256WithRsa, der(0x03, Buffer.from([0]), signature));
  return toPem('CERTIFICATE', certificate);
}

/** Key and certificate of a TLS server. No client trusts it. */
export function createTlsIdentity(): { key: string; cert: string } {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: createCertificate(privateKey, publicKey),
  };
}
