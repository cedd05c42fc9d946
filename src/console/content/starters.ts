import type { Schemas } from '../../client/index.ts'

type StarterInput = Pick<
  Schemas['TemplateInput'],
  'sourceType' | 'emailType' | 'subject' | 'previewText' | 'source' | 'variables'
>

interface Starter {
  id: string
  name: string
  about: string
  input: StarterInput
}

/** A mail in one column, as MJML: it looks alike in all mail programs. */
const mail = (body: string): string => `<mjml>
  <mj-head>
    <mj-attributes>
      <mj-all font-family="Helvetica, Arial, sans-serif" />
      <mj-text font-size="16px" line-height="24px" color="#1c1e21" />
      <mj-button background-color="#1d4ed8" border-radius="6px" font-size="16px" />
    </mj-attributes>
  </mj-head>
  <mj-body background-color="#f7f7f8">
${body}
  </mj-body>
</mjml>
`

const NEWSLETTER = mail(`    <mj-section background-color="#ffffff">
      <mj-column>
        <mj-text font-size="24px" line-height="32px">News of this month</mj-text>
        <mj-text>Hello {{ contact.firstName | default: "there" }},</mj-text>
        <mj-text>What is the one thing that your readers should know? Say it here, in a few sentences.</mj-text>
        <mj-button href="https://example.com/news">Read more</mj-button>
      </mj-column>
    </mj-section>
    <mj-section background-color="#ffffff">
      <mj-column>
        <mj-text font-size="18px">A second story</mj-text>
        <mj-text>Two or three sentences, and a link.</mj-text>
      </mj-column>
      <mj-column>
        <mj-text font-size="18px">A third one</mj-text>
        <mj-text>Two or three sentences, and a link.</mj-text>
      </mj-column>
    </mj-section>
    <mj-section>
      <mj-column>
        <mj-text font-size="13px" color="#51565e">
          {{ organization.postalAddress | default: "" }}<br />
          <a href="{{ unsubscribeUrl }}">Unsubscribe</a>
        </mj-text>
      </mj-column>
    </mj-section>`)

const RECEIPT = mail(`    <mj-section background-color="#ffffff">
      <mj-column>
        <mj-text font-size="24px" line-height="32px">Thank you for your order</mj-text>
        <mj-text>Hello {{ contact.firstName | default: "there" }},</mj-text>
        <mj-text>We have received your order {{ orderNumber }}. It comes to {{ total }}.</mj-text>
        <mj-button href="https://example.com/orders">See the order</mj-button>
      </mj-column>
    </mj-section>`)

const CONFIRMATION = mail(`    <mj-section background-color="#ffffff">
      <mj-column>
        <mj-text font-size="24px" line-height="32px">One more step</mj-text>
        <mj-text>Please confirm that you want to get {{ topic.name }}.</mj-text>
        <mj-button href="{{ confirmUrl }}">Yes, subscribe me</mj-button>
        <mj-text font-size="13px" color="#51565e">
          If you did not ask for it, do nothing: you will not get it.
        </mj-text>
      </mj-column>
    </mj-section>`)

const PLAIN = `<h1>Hello {{ contact.firstName | default: "there" }}</h1>
<p>Here is what is new.</p>
<p><a href="{{ unsubscribeUrl }}">Unsubscribe</a></p>
`

/** What a new template begins with. */
export const STARTERS: readonly Starter[] = [
  {
    id: 'newsletter',
    name: 'Newsletter',
    about: 'A story, two shorter ones, and a link to unsubscribe.',
    input: {
      sourceType: 'mjml',
      emailType: 'marketing',
      subject: 'News of this month',
      source: NEWSLETTER,
    },
  },
  {
    id: 'plain',
    name: 'Plain',
    about: 'A heading and a paragraph in HTML.',
    input: {
      sourceType: 'html',
      emailType: 'marketing',
      subject: 'Hello {{ contact.firstName | default: "there" }}',
      source: PLAIN,
    },
  },
  {
    id: 'receipt',
    name: 'Receipt',
    about: 'For one person, about something they did: no link to unsubscribe.',
    input: {
      sourceType: 'mjml',
      emailType: 'transactional',
      subject: 'Your order {{ orderNumber }}',
      variables: [
        { name: 'orderNumber', fallback: '1001' },
        { name: 'total', fallback: '€ 10.00' },
      ],
      source: RECEIPT,
    },
  },
  {
    id: 'confirmation',
    name: 'Confirmation',
    about: 'Asks people to confirm that they want a topic (double opt-in).',
    input: {
      sourceType: 'mjml',
      emailType: 'transactional',
      subject: 'Please confirm: {{ topic.name }}',
      variables: [{ name: 'confirmUrl' }, { name: 'topic' }],
      source: CONFIRMATION,
    },
  },
]
