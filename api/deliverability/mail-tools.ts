import { checkAddress } from '../../src/core/deliverability/address.ts'
import { writeDmarc } from '../../src/core/deliverability/dmarc-generator.ts'
import { checkHeaders } from '../../src/core/deliverability/headers.ts'
import type { Report, Toolbox } from '../../src/core/deliverability/toolbox.ts'
import { checkUnsubscribe } from '../../src/core/deliverability/unsubscribe-mail.ts'
import type { DmarcInput } from '../../src/schemas/deliverability/mail.ts'
import { domainOr400 } from './subjects.ts'

// Used by the API and the page. Each one is one run of the toolbox, within its limits.

export const runAddress = ({ run }: Toolbox, address: string): Promise<Report> =>
  run('validate-address', address.trim(), (context) => checkAddress(context, { address }))

export const runHeaders = ({ run }: Toolbox, headers: string): Promise<Report> =>
  run('headers', 'the header', (context) => checkHeaders(context, { headers }))

export const runUnsubscribe = ({ run }: Toolbox, message: string): Promise<Report> =>
  run('unsubscribe-check', 'the mail', (context) => checkUnsubscribe(context, { message }))

export async function runDmarcGenerator({ run }: Toolbox, wish: DmarcInput): Promise<Report> {
  const domain = domainOr400(wish.domain)
  return run('dmarc-generator', domain, async () => writeDmarc({ ...wish, domain }))
}
