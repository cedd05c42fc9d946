import { Gauge, type Registry } from 'prom-client'
import type { Renderer } from '../../mail/renderer.ts'

/** Tells how much waits for the rendering threads of the process. */
export function measureRenderer(registry: Registry, renderer: Pick<Renderer, 'load'>): void {
  const jobs = new Gauge({
    name: 'letterloom_render_jobs',
    help: 'Sets of contents that are rendered, or wait for the thread',
    labelNames: ['thread'],
    registers: [],
    collect() {
      for (const [thread, count] of Object.entries(renderer.load())) this.set({ thread }, count)
    },
  })
  registry.registerMetric(jobs)
}
