import { CaptureTag, type Context } from 'liquidjs'

export const captured = (context: Context): Set<string> =>
  context.getRegister('captured', new Set<string>())

/** `{% capture %}` that records the captured text. A class because LiquidJS' tags are classes. */
export class Capture extends CaptureTag {
  override *render(context: Context): Generator<unknown, void, string> {
    yield* super.render(context)
    const text: unknown = context.bottom()[this.variable]
    if (typeof text !== 'string') return
    // Kept until the rendering ends, even if the name is captured again.
    context.memoryLimit.use(text.length)
    captured(context).add(text)
  }
}
