const DECLARATION = /^\s*([a-z-]+)\s*:\s*([^!]*?)\s*(?:!\s*important\s*)?$/i
const NOTHING = /^0(?:\.0+)?(?:px|em|rem|%|pt)?$/
const SIZES = ['max-height', 'height', 'max-width', 'width']

/**
 * Returns whether an element's own attributes hide it: `hidden`, or a style with which authors hide
 * a preview text.
 */
export function isHidden(attributes: ReadonlyMap<string, string>): boolean {
  if (attributes.has('hidden')) return true
  const style = attributes.get('style')
  if (style === undefined || style === '') return false
  const declared = new Map<string, string>()
  for (const declaration of style.split(';')) {
    const [, name = '', value = ''] = DECLARATION.exec(declaration) ?? []
    if (name !== '') declared.set(name.toLowerCase(), value.toLowerCase())
  }
  const isNothing = (name: string) => NOTHING.test(declared.get(name) ?? '')
  return (
    declared.get('display') === 'none' ||
    ['hidden', 'collapse'].includes(declared.get('visibility') ?? '') ||
    isNothing('opacity') ||
    (declared.get('overflow') === 'hidden' && SIZES.some(isNothing))
  )
}
