import { expect, test } from 'vitest'
import { redact } from '../../src/domain/privacy/redaction.ts'

const ada = '0198c0de-0000-7000-8000-000000000001'
const bob = '0198c0de-0000-7000-8000-000000000002'
const person = {
  contactIds: [ada],
  isNamedIn: (text: string) => text.toLowerCase().includes('ada@example.com'),
}

test('redaction keeps the contact’s id, removes the content of its mails, and changes nothing else', () => {
  const said = (contactId: string, email: string) => ({
    contactId,
    email,
    subject: 'Dear Countess',
    html: '<p>Dear Countess</p>',
    text: 'Dear Countess',
    sizeBytes: 20,
  })
  const answer = {
    contacts: [
      { id: ada, firstName: 'Ada' },
      { id: bob, firstName: 'Bob', note: 'knows ADA@example.com' },
    ],
    sample: [said(ada, 'ada@example.com'), said(bob, 'bob@example.com')],
  }
  expect(redact(answer, person)).toEqual({
    contacts: [
      { id: ada, firstName: null },
      { id: bob, firstName: 'Bob', note: null },
    ],
    sample: [
      { contactId: ada, email: null, subject: null, html: null, text: null, sizeBytes: 20 },
      said(bob, 'bob@example.com'),
    ],
  })
})
