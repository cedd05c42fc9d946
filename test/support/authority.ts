import { generateKeyPairSync, randomBytes } from 'node:crypto'
import forge from 'node-forge'

export interface Certificate {
  key: string
  cert: string
}

const DAY_MS = 86_400_000

/** Makes an authority for one test. */
export const makeAuthority = (name: string): Certificate =>
  issue(name, undefined, [
    { name: 'basicConstraints', cA: true, critical: true },
    { name: 'keyUsage', keyCertSign: true, cRLSign: true, critical: true },
  ])

/** Makes a certificate of an authority, for a server or a client of this name. */
export const makeCertificate = (authority: Certificate, name: string): Certificate =>
  issue(name, authority, [
    { name: 'keyUsage', digitalSignature: true, keyEncipherment: true, critical: true },
    { name: 'extKeyUsage', serverAuth: true, clientAuth: true },
    { name: 'subjectAltName', altNames: [{ type: 2, value: name }] },
  ])

function issue(name: string, authority: Certificate | undefined, extensions: object[]) {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  })
  const certificate = forge.pki.createCertificate()
  certificate.publicKey = forge.pki.publicKeyFromPem(publicKey)
  // A number of which the first bit is not set, which would make it negative.
  certificate.serialNumber = `01${randomBytes(15).toString('hex')}`
  certificate.validity.notBefore = new Date(Date.now() - DAY_MS)
  certificate.validity.notAfter = new Date(Date.now() + DAY_MS)
  const subject = [{ name: 'commonName', value: name }]
  certificate.setSubject(subject)
  certificate.setIssuer(
    authority ? forge.pki.certificateFromPem(authority.cert).subject.attributes : subject,
  )
  certificate.setExtensions(extensions)
  certificate.sign(
    forge.pki.privateKeyFromPem(authority?.key ?? privateKey),
    forge.md.sha256.create(),
  )
  return { key: privateKey, cert: forge.pki.certificateToPem(certificate) }
}
