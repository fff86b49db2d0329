import { describe, expectTypeOf, it } from 'vitest'
import type { Answer } from './answered.js'
import type { SvcClient } from './client.js'
import type { components as A } from './generated/annotation.js'
import type { components as B } from './generated/workspace.js'
import type { Page } from './page.js'
import type {
  Annotation,
  AnnotationRequest,
  Project,
  ProjectCreate,
  Transcript,
  TranscriptRow,
  TranscriptUpload,
  TurnUpload,
} from './types.js'

type Result<T> = T extends Answer<infer R> ? R : never
type Verb<F> = F extends (...args: never[]) => infer R ? R : never

// These hold when the type-check passes; at run time there is nothing to do.
describe('the types of the verbs', () => {
  it("are the spec's", () => {
    expectTypeOf<Result<Verb<SvcClient['annotations']['create']>>>().toEqualTypeOf<A['schemas']['AnnotationResponse']>()
    expectTypeOf<Result<Verb<SvcClient['annotators']['list']>>>().toEqualTypeOf<A['schemas']['AnnotatorInfo'][]>()
    expectTypeOf<Result<Verb<SvcClient['health']>>>().toEqualTypeOf<A['schemas']['HealthResponse']>()
    expectTypeOf<Result<Verb<SvcClient['projects']['create']>>>().toEqualTypeOf<B['schemas']['Project']>()
    expectTypeOf<Result<Verb<SvcClient['transcripts']['upload']>>>().toEqualTypeOf<Transcript>()
    expectTypeOf<Result<Verb<SvcClient['projects']['list']>>>().toEqualTypeOf<Page<Project>>()
  })

  it('hold no any', () => {
    expectTypeOf<Result<Verb<SvcClient['batches']['get']>>>().toBeUnknown()
    expectTypeOf<Result<Verb<SvcClient['transcripts']['get']>>['annotations']>().toBeUnknown()
    expectTypeOf<TranscriptRow['something']>().toBeUnknown()
    expectTypeOf<Annotation['signals'][string]['turn']>().toEqualTypeOf<number | null | undefined>()
  })

  it('take what the spec takes, and fields that are undefined, and dates', () => {
    expectTypeOf<B['schemas']['TranscriptUpload']>().toExtend<TranscriptUpload>()
    expectTypeOf<B['schemas']['ProjectCreate']>().toExtend<ProjectCreate>()
    expectTypeOf<A['schemas']['AnnotationRequest']>().toExtend<AnnotationRequest>()
    expectTypeOf<keyof TranscriptUpload>().toEqualTypeOf<keyof B['schemas']['TranscriptUpload']>()
    expectTypeOf<keyof TurnUpload>().toEqualTypeOf<keyof B['schemas']['Turn']>()
    expectTypeOf<keyof AnnotationRequest>().toEqualTypeOf<keyof A['schemas']['AnnotationRequest']>()
    expectTypeOf<{ name: string; domain: undefined }>().toExtend<ProjectCreate>()
    expectTypeOf<{ name: string; turns: readonly TurnUpload[]; language: undefined }>().toExtend<TranscriptUpload>()
    expectTypeOf<{ role: 'user'; content: string; createdAt: Date }>().toExtend<TurnUpload>()
  })

  it('ask for what the interface requires', () => {
    expectTypeOf<{ name: string }>().not.toExtend<TranscriptUpload>()
    expectTypeOf<{ name: string; turns: [] }>().toExtend<TranscriptUpload>()
    expectTypeOf<{ name: string; turns: [{ role: 'robot'; content: '' }] }>().not.toExtend<TranscriptUpload>()
    expectTypeOf<{ name: string; turns: []; sourceTimestamp: Date }>().toExtend<TranscriptUpload>()
  })
})
