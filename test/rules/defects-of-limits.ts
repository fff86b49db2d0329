import type { Defects } from './defect.js'
import { rules as faults } from './faults.rules.js'
import { rules as pipeline } from './pipeline.rules.js'
import { rules as rateLimits } from './rate-limits.rules.js'
import { rules as saturation } from './saturation.rules.js'
import { rules as windows } from './windows.rules.js'

const rate = 'rate-limit.ts'
const seconds = 'Math.ceil((window.startedAt + windowMs - now) / 1000)'

export const ofLimits: Defects = {
  likely: [...windows, ...rateLimits],
  defects: [
    { name: 'says a second too many', file: rate, find: seconds, replace: `${seconds} + 1` },
    { name: 'says a second too few', file: rate, find: seconds, replace: seconds.replace('ceil', 'floor') },
    { name: 'rounds seconds', file: rate, find: seconds, replace: seconds.replace('ceil', 'round') },
    { name: 'says the same seconds always', file: rate, find: seconds, replace: 'Math.ceil(windowMs / 1000)' },
    { name: 'says milliseconds', file: rate, find: seconds, replace: 'window.startedAt + windowMs - now' },
    {
      name: 'says no seconds',
      file: rate,
      find: ", { headers: { 'retry-after': String(seconds) } }",
      replace: '',
    },
    {
      name: 'slides its window',
      file: rate,
      find: '{ ...window, used: window.used + 1 }',
      replace: '{ startedAt: now, used: window.used + 1 }',
    },
    {
      name: 'serves one request too many',
      file: rate,
      find: 'window.used < requests',
      replace: 'window.used <= requests',
    },
    {
      name: 'serves one request too few',
      file: rate,
      find: 'window.used < requests',
      replace: 'window.used < requests - 1',
    },
    {
      name: 'opens a millisecond late',
      file: rate,
      find: 'now < last.startedAt + windowMs',
      replace: 'now <= last.startedAt + windowMs',
    },
    {
      name: 'opens a millisecond early',
      file: rate,
      find: 'now < last.startedAt + windowMs',
      replace: 'now < last.startedAt + windowMs - 1',
    },
    {
      name: 'begins its window anew with each refusal',
      file: rate,
      find: 'if (own.retryAfterSeconds !== undefined)\n',
      replace: `if (own.retryAfterSeconds !== undefined) this.#windows.set(name, { ...own.window, startedAt: now })
    if (own.retryAfterSeconds !== undefined)
`,
    },
    { name: 'has one window for all keys', file: rate, find: 'const name = ', replace: 'const name = surface || ' },
    { name: 'has one window for both surfaces', file: rate, find: 'const name = ', replace: 'const name = key || ' },
    {
      name: 'limits the registry',
      file: 'operations/annotation.ts',
      find: 'open: (readings) => !readings.annotatorsNeedKey,',
      replace: "open: (readings) => !readings.annotatorsNeedKey,\n    limits: 'key',",
    },
    {
      name: 'does not limit uploads',
      file: 'operations/transcripts.ts',
      find: "    id: 'transcripts.upload',",
      replace: "    id: 'transcripts.upload',\n    limits: undefined,",
    },
    {
      name: 'runs an operation before it looks at the rate',
      file: 'route.ts',
      find: 'limiter?.pass(surface, key.key, at, ',
      replace: "world.createProject({ name: 'P' }), limiter?.pass(surface, key.key, at, ",
    },
  ],
}

export const ofSaturation: Defects = {
  likely: saturation,
  defects: [
    {
      name: 'holds the provider back for every operation',
      file: rate,
      find: 'saturation && saturates',
      replace: 'saturation',
    },
    { name: 'is never saturated', file: rate, find: 'saturation && saturates', replace: 'saturation && false' },
    {
      name: 'says of the provider what it says of a key',
      file: rate,
      find: "'The provider is saturated.'",
      replace: "'The rate limit of this key is used up.'",
    },
    {
      name: 'uses up the rate of a key whom the provider cannot serve',
      file: rate,
      find: '    const { saturation } = this.#limits\n',
      replace: '    const { saturation } = this.#limits\n    this.#windows.set(name, own.window)\n',
    },
    {
      name: 'has the window of a key for the provider',
      file: rate,
      find: 'this.#windows.get(everyKey), now, saturation',
      replace: 'this.#windows.get(everyKey), now, { ...saturation, windowMs: this.#limits.windowMs }',
    },
  ],
}

export const ofPipeline: Defects = {
  likely: [...pipeline, ...faults],
  defects: [
    {
      name: 'annotates a millisecond late',
      file: 'pipeline.ts',
      find: 'if (now < createdAt + afterMs) return 0',
      replace: 'if (now <= createdAt + afterMs) return 0',
    },
    {
      name: 'annotates at once what takes its time',
      file: 'pipeline.ts',
      find: 'if (now < createdAt + afterMs) return 0',
      replace: '',
    },
    {
      name: 'annotates what was to be skipped',
      file: 'world.ts',
      find: "record.processing_status === 'queued' && annotations === undefined",
      replace: 'annotations === undefined',
    },
    {
      name: 'forgets a model that fails',
      file: 'pipeline.ts',
      find: '      failed.add(transcript)\n',
      replace: '      transcript.record.processing_status = "error"\n',
    },
    {
      name: 'does not ask the model',
      file: 'pipeline.ts',
      find: 'if (model && !transcript.model)',
      replace: 'if (false && model)',
    },
    {
      name: 'finds nothing by what the pipeline has annotated',
      file: 'operations/transcripts.ts',
      find: 'matches(filter, item, annotationOf)',
      replace: 'matches(filter, item, ({ annotations }, key) => annotations[key])',
    },
    {
      name: 'listens to faults unasked',
      file: 'route.ts',
      find: 'options.faultHeader ?',
      replace: 'true ?',
    },
  ],
}
