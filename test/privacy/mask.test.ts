import { expect, test } from 'vitest'
import { masked } from '../../src/domain/privacy/mask.ts'

test.each([
  ['Write to ann@example.com.', 'Write to a••@e••••••••••.'],
  ['<ann@example.com>, "bob@mail.example.org"', '<a••@e••••••.com>, "b••@m•••••••••••.org"'],
  [`${'x'.repeat(80)}@example.com`, `x${'•'.repeat(79)}@e••••••.com`],
  ['mailto:ann@example.com', 'mailto:a••@e••••••.com'],
  ['call +49 151 1234567', 'call +49•••••••••••'],
  ['our account is @letterloom', 'our account is @letterloom'],
  ['3 apples @ 2 each', '3 apples @ 2 each'],
])('%s', (text, wanted) => {
  expect(masked({ list: [text] })).toEqual({ list: [wanted] })
})
