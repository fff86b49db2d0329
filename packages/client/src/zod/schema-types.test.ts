import { describe, expectTypeOf, it } from 'vitest'
import * as z from 'zod'
import type * as types from '../types.js'
import { mirrors, open } from './fields.js'
import type * as schemas from './index.js'

// These hold when the type-check passes; at run time there is nothing to do.
describe('a schema that differs from its type does not compile', () => {
  const hit = mirrors<types.SignalHit>()
  const message = mirrors<types.TranscriptMessage>()

  it('a schema that differs from its type does not compile when it forgets an optional key', () => {
    // @ts-expect-error turn is missing
    hit(open({ evidence: z.string() }))
  })

  it('a schema that differs from its type does not compile when it has an extra key', () => {
    // @ts-expect-error the type has no confidence
    hit(open({ evidence: z.string(), turn: z.int().nullable().exactOptional(), confidence: z.number() }))
  })

  it('a schema that differs from its type in whether it accepts undefined does not compile', () => {
    // @ts-expect-error turn may be missing, and is never undefined
    hit(open({ evidence: z.string(), turn: z.int().nullable().optional() }))
    // @ts-expect-error is_user_visible may be undefined
    message(open({ role: z.string(), content: z.string(), is_user_visible: z.boolean().exactOptional() }))
  })

  it('a schema that differs from its type does not compile when it forgets null', () => {
    // @ts-expect-error turn may be null
    hit(open({ evidence: z.string(), turn: z.int().exactOptional() }))
  })

  it('a schema that differs from its type does not compile when its enum is narrower or wider', () => {
    // @ts-expect-error no lambda
    mirrors<types.Health['substrate']>()(z.enum(['fargate']))
    // @ts-expect-error metal is no substrate
    mirrors<types.Health['substrate']>()(z.enum(['fargate', 'lambda', 'metal']))
  })

  it('a schema that differs from its type does not compile when its input differs from its output', () => {
    // @ts-expect-error a default makes a key of the input optional
    mirrors<{ role: string }>()(z.object({ role: z.string().default('user') }))
  })
})

describe('a schema and the type of its name', () => {
  it('a schema and the type of its name are one import', () => {
    expectTypeOf<z.infer<typeof schemas.Annotation>>().toEqualTypeOf<schemas.Annotation>()
    expectTypeOf<schemas.TranscriptUpload>().toEqualTypeOf<types.TranscriptUpload>()
    expectTypeOf<z.infer<typeof schemas.TranscriptUpload>>().toExtend<types.TranscriptUpload>()
  })
})
