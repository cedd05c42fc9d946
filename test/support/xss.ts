import { createToolbox, type Toolbox } from '../../src/core/deliverability/toolbox.ts'
import type { DnsAnswer, DnsType } from '../../src/net/dns.ts'
import { createLookups } from '../../src/net/lookups.ts'

/** Attacks that set `alive` in a page if they are ever more than text. */
export const XSS = [
  '<script>alive=1</script>',
  '"><script>alive=1</script>',
  "'><img src=x onerror=alive=1>",
  '</textarea><svg onload=alive=1>',
  '</pre></details><svg/onload=alive=1>',
  '" autofocus onfocus=alive=1 x="',
  "' onmouseover=alive=1 '",
  'javascript:alive=1',
  '</style><script>alive=1</script>',
  '<iframe srcdoc="<script>parent.alive=1</script>">',
  '<a href=javascript:alive=1>x</a>',
  '&lt;script&gt;alive=1&lt;/script&gt;',
  '<math><mtext></form><form><mglyph><style></math><img src onerror=alive=1>',
]

/** A mail with an attack in every field. */
export const mailOf = (attack: string, domain: string): string =>
  `From: ${attack} <a@${domain}>\nSubject: ${attack}\nReceived: from ${attack} by ${attack}; ${attack}\nAuthentication-Results: ${attack}; spf=pass\nDKIM-Signature: v=1; a=${attack}; d=${attack}; s=${attack}; h=${attack}:from; b=x\nList-Unsubscribe: <https://${attack}>\nDate: ${attack}\nMessage-ID: ${attack}\n${attack}\n\n${attack}`

/** A world in which everything published is an attack: records, host names, files. */
export function hostileWorld(): { toolbox: Toolbox; attack: string } {
  const world: { toolbox: Toolbox; attack: string } = {
    attack: '',
    toolbox: createToolbox({
      lookups: createLookups({ ask: async ({ name, type }) => answerOf(name, type, world.attack) }),
      createFetcher: () => ({
        send: async ({ url }) => ({
          url,
          status: 200,
          headers: new Map([
            ['content-type', url.includes('mta-sts') ? 'text/plain' : world.attack],
          ]),
          body: Buffer.from(fileOf(url, world.attack)),
          isCut: false,
        }),
      }),
      now: Date.now,
      userAgent: 'Letterloom-Tools/test',
    }),
  }
  return world
}

function answerOf(name: string, type: DnsType, attack: string): DnsAnswer {
  const foundAnswer = (...values: string[]): DnsAnswer => ({ status: 'found', values })
  switch (type) {
    case 'A':
      // Of lists: a code.
      return /^\d+\.\d+\.\d+\.\d+\.|\.example\./.test(name)
        ? foundAnswer(attack)
        : foundAnswer('9.9.9.9')
    case 'AAAA':
      return { status: 'empty' }
    case 'MX':
      return foundAnswer(`10 ${attack.replaceAll(' ', '/')}`, '20 mx.example')
    case 'TXT':
      return foundAnswer(textOf(name, attack))
    default:
      return foundAnswer(attack)
  }
}

function textOf(name: string, attack: string): string {
  if (name.startsWith('_dmarc.')) {
    return `v=DMARC1; p=${attack}; rua=mailto:${attack},mailto:a@${attack}; ${attack}=1`
  }
  if (name.startsWith('_smtp._tls.')) return `v=TLSRPTv1; rua=${attack}`
  if (name.includes('._bimi.')) return `v=BIMI1; l=https://logo.example/${attack}; a=${attack}`
  if (name.startsWith('_mta-sts.')) return `v=STSv1; id=${attack}`
  if (name.includes('._domainkey.')) return `v=DKIM1; k=${attack}; t=${attack}; p=${attack}`
  return `v=spf1 ${attack} include:${attack} -all`
}

const fileOf = (url: string, attack: string): string =>
  url.includes('mta-sts')
    ? `version: ${attack}\nmode: ${attack}\nmax_age: ${attack}\nmx: ${attack}\n${attack}`
    : `<svg ${attack}><title>${attack}</title>${attack}</svg>`
