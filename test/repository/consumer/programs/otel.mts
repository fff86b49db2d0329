import { createClient } from '@svc/client'
import { nodeTransport } from '@svc/client/node'
import { tracedTransport } from '@svc/client/otel'

export const traced = () => createClient({ transport: tracedTransport({ transport: nodeTransport() }) })

// @ts-expect-error no such option
tracedTransport({ tracer: undefined })
