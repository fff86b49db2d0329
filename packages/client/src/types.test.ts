import type * as undici from 'undici'
import { describe, expect, expectTypeOf, it } from 'vitest'
import type { SvcClient } from './client.js'
import type { components as A } from './generated/annotation.js'
import type { components as B } from './generated/workspace.js'
import type { ResponsePromise } from './http/response-promise.js'
import type { ClientOptions } from './options.js'
import type { Page } from './pagination/index.js'
import type * as types from './types.js'
import type {
  Annotation,
  AnnotationRequest,
  Project,
  ProjectCreate,
  SignalHit,
  Transcript,
  TranscriptRow,
  TranscriptUpload,
  TurnUpload,
  Unlisted,
} from './types.js'

type Result<T> = T extends ResponsePromise<infer R> ? R : never
type Verb<F> = F extends (...args: never[]) => infer R ? R : never

// These hold when the type-check passes; at run time there is nothing to do.
describe('the types of the methods', () => {
  it('the types of the methods are those of the spec, with open enums', () => {
    type Created = Result<Verb<SvcClient['annotations']['create']>>
    expectTypeOf<Omit<Created, 'outcome' | 'signals'>>().toEqualTypeOf<
      Omit<A['schemas']['AnnotationResponse'], 'outcome' | 'signals'>
    >()
    expectTypeOf<A['schemas']['AnnotationResponse']>().toExtend<Created>()
    expectTypeOf<Result<Verb<SvcClient['annotators']['list']>>>().toEqualTypeOf<A['schemas']['AnnotatorInfo'][]>()
    expectTypeOf<A['schemas']['HealthResponse']>().toExtend<Result<Verb<SvcClient['health']>>>()
    expectTypeOf<Result<Verb<SvcClient['projects']['create']>>>().toEqualTypeOf<B['schemas']['Project']>()
    expectTypeOf<Result<Verb<SvcClient['transcripts']['upload']>>>().toEqualTypeOf<Transcript>()
    expectTypeOf<Result<Verb<SvcClient['projects']['list']>>>().toEqualTypeOf<Page<Project>>()
  })

  it('the types of records and requests are those of the spec, but for open enums and what is read more widely', () => {
    type Same<One, Other> = (<T>() => T extends One ? 1 : 2) extends <T>() => T extends Other ? 1 : 2 ? true : false
    type Plain<T> = { [K in keyof T]: T[K] }
    const same = <One, Other>(isSame: Same<Plain<One>, Plain<Other>>) => expect(isSame).toBe(true)
    type Defined<T> = { [K in keyof T]: Exclude<T[K], undefined> }
    same<types.AnnotationSummary, A['schemas']['AnnotationSummary']>(true)
    same<types.UsageInfo, A['schemas']['UsageInfo']>(true)
    same<types.AnnotatorInfo, A['schemas']['AnnotatorInfo']>(true)
    same<types.SignalHit, A['schemas']['SignalHit']>(true)
    same<Omit<types.Health, 'substrate'>, Omit<A['schemas']['HealthResponse'], 'substrate'>>(true)
    same<types.Project, B['schemas']['Project']>(true)
    same<types.Pagination, B['schemas']['Pagination']>(true)
    same<types.ToolCall, B['schemas']['ToolCall']>(true)
    same<types.ToolResult, B['schemas']['ToolResult']>(true)
    same<types.Turn, B['schemas']['Turn']>(true)
    same<Omit<types.Transcript, 'processing_status'>, Omit<B['schemas']['Transcript'], 'processing_status'>>(true)
    same<Defined<Required<types.ProjectCreate>>, Defined<Required<B['schemas']['ProjectCreate']>>>(true)
    same<Defined<Required<types.TranscriptMessage>>, Defined<Required<A['schemas']['TranscriptMessage']>>>(true)
    type Wider = 'turns' | 'metadata' | 'sourceTimestamp'
    type Texts<T> = Defined<Required<Omit<T, Wider>>>
    same<Texts<types.TranscriptUpload>, Texts<B['schemas']['TranscriptUpload']>>(true)
    expectTypeOf<types.Outcome>().toEqualTypeOf<A['schemas']['Outcome']>()
    expectTypeOf<types.Substrate>().toEqualTypeOf<A['schemas']['HealthResponse']['substrate']>()
    expectTypeOf<types.ProcessingStatus>().toEqualTypeOf<B['schemas']['ProcessingStatus']>()
    expectTypeOf<types.Role>().toEqualTypeOf<B['schemas']['Turn']['role']>()
    expectTypeOf<B['schemas']['ProjectDetail']>().toExtend<types.ProjectDetail>()
    expectTypeOf<B['schemas']['TranscriptDetail']>().toExtend<types.TranscriptDetail>()
    expectTypeOf<B['schemas']['TranscriptRow']>().toExtend<types.TranscriptRow>()
  })

  it('keep a switch over an open enum exhaustive', () => {
    const verdict = (outcome: Annotation['outcome']): string => {
      switch (outcome) {
        case 'strong':
        case 'mixed':
        case 'poor':
        case 'critical':
          return outcome
        case 'indeterminate':
          return 'no verdict'
        default:
          return outcome satisfies Unlisted
      }
    }
    const incomplete = (outcome: Annotation['outcome']): string => {
      if (outcome === 'strong' || outcome === 'mixed' || outcome === 'poor' || outcome === 'critical') return outcome
      // @ts-expect-error `indeterminate` has no case.
      return outcome satisfies Unlisted
    }
    expect([verdict('poor'), verdict('splendid' as Unlisted), incomplete('poor')]).toEqual(['poor', 'splendid', 'poor'])
  })

  it('contain no any', () => {
    expectTypeOf<Result<Verb<SvcClient['batches']['get']>>>().toBeUnknown()
    expectTypeOf<Result<Verb<SvcClient['transcripts']['get']>>['annotations']>().toBeUnknown()
    expectTypeOf<TranscriptRow['something']>().toBeUnknown()
    expectTypeOf<Annotation['signals'][string]>().toEqualTypeOf<SignalHit | undefined>()
    expectTypeOf<SignalHit['turn']>().toEqualTypeOf<number | null | undefined>()
  })

  it('accept the inputs of the spec, undefined fields and dates', () => {
    expectTypeOf<B['schemas']['TranscriptUpload']>().toExtend<TranscriptUpload>()
    expectTypeOf<B['schemas']['ProjectCreate']>().toExtend<ProjectCreate>()
    expectTypeOf<A['schemas']['AnnotationRequest']>().toExtend<AnnotationRequest>()
    expectTypeOf<keyof TranscriptUpload>().toEqualTypeOf<keyof B['schemas']['TranscriptUpload']>()
    expectTypeOf<keyof TurnUpload>().toEqualTypeOf<keyof B['schemas']['Turn']>()
    expectTypeOf<keyof AnnotationRequest>().toEqualTypeOf<keyof A['schemas']['AnnotationRequest']>()
    expectTypeOf<{ name: string; domain: undefined }>().toExtend<ProjectCreate>()
    expectTypeOf<{ name: string; turns: readonly TurnUpload[]; language: undefined }>().toExtend<TranscriptUpload>()
    expectTypeOf<{ role: 'user'; content: string; createdAt: Date }>().toExtend<TurnUpload>()
    const turns = [{ role: 'user', content: 'Where is order 7?' }]
    interface Meta {
      team: string
    }
    expectTypeOf<{ name: string; turns: typeof turns; metadata: Meta }>().toExtend<TranscriptUpload>()
    expectTypeOf<{ annotator: string; transcript: typeof turns; options: Meta }>().toExtend<AnnotationRequest>()
  })

  it('require the required fields of the interface', () => {
    expectTypeOf<{ name: string }>().not.toExtend<TranscriptUpload>()
    expectTypeOf<{ name: string; turns: [] }>().toExtend<TranscriptUpload>()
    expectTypeOf<{ name: string; turns: [{ role: 'user' }] }>().not.toExtend<TranscriptUpload>()
    expectTypeOf<{ name: string; turns: []; sourceTimestamp: Date }>().toExtend<TranscriptUpload>()
  })
})

it('the fetch of a client may be that of the runtime, of undici, or a wrapper that takes a text', () => {
  type Given = NonNullable<ClientOptions['fetch']>
  expectTypeOf<typeof globalThis.fetch>().toExtend<Given>()
  expectTypeOf<typeof undici.fetch>().toExtend<Given>()
  expectTypeOf<(url: string, init?: RequestInit) => Promise<Response>>().toExtend<Given>()
})
