import createClient, { type Client, createQuerySerializer } from 'openapi-fetch'
import type { BuiltRequest } from './attempt.js'
import { type Fetch, LightRequest } from './fetch.js'
import type { paths as AnnotationPaths } from './generated/annotation.js'
import type { paths as WorkspacePaths } from './generated/workspace.js'
import { pathWithIds } from './path-id.js'
import { queryOf } from './query.js'

/** The typed openapi-fetch client of surface A, whose paths begin with `/v1` (interface: Endpoints › Surface A). */
export type AnnotationWire = Client<AnnotationPaths>
/**
 * The typed openapi-fetch client of surface B, whose paths are relative to its base (interface: Endpoints › Surface B).
 */
export type WorkspaceWire = Client<WorkspacePaths>

/** The wires of both surfaces: paths, parameters and bodies are checked against the spec by the compiler. */
export interface Wires {
  /** Surface A, at `baseUrl`. */
  annotation: AnnotationWire
  /** Surface B, at `publicBaseUrl`. */
  workspace: WorkspaceWire
}

/** The wires of both surfaces; they draw up the runtime's requests, or light ones. */
export const createWires = (
  surfaces: Record<keyof Wires, { baseUrl: string | undefined }>,
  fetchOf: (surface: keyof Wires) => Fetch,
  light?: typeof LightRequest,
): Wires => ({
  annotation: createClient(wireOptions('annotation', surfaces.annotation.baseUrl, fetchOf, light)),
  workspace: createClient(wireOptions('workspace', surfaces.workspace.baseUrl, fetchOf, light)),
})

const wireOptions = (
  surface: keyof Wires,
  baseUrl: string | undefined,
  fetchOf: (surface: keyof Wires) => Fetch,
  light: typeof LightRequest | undefined,
) => ({
  ...(light && { Request: light as unknown as typeof Request }),
  // Without one, nothing is sent: what stands behind the wire refuses, but openapi-fetch wants to draw up a URL.
  baseUrl: baseUrl ?? 'https://base-url.invalid',
  fetch: fetchOf(surface),
  pathSerializer: pathWithIds(`wires.${surface}`),
  // By itself openapi-fetch sends nothing for a Date.
  querySerializer: (query: Record<string, unknown>) =>
    createQuerySerializer()(queryOf(query as Parameters<typeof queryOf>[0], `wires.${surface}`)),
})

/**
 * Options of one wire call that hand its request to us instead of sending it. Spread last: what is named behind a spread
 * V8 adds up to a hundred times as slowly.
 */
export type Through = { fetch: Fetch }

/**
 * Lets openapi-fetch check and draw up a request, and nothing more: it gets a light stand-in for `Request`, because
 * each attempt builds its own from the same bytes, and what is drawn up is not sent by it.
 */
export function through(operation: string, drawn: (draft: BuiltRequest) => void): Through {
  // The types say what openapi-fetch offers to its callers; at run time it asks only for what is given here.
  return {
    fetch: async (draft: LightRequest) => {
      drawn(draft)
      return noContent
    },
    Request: LightRequest,
    // Each verb of the wire writes its own over it.
    method: '',
    // It is JSON already. Text, not bytes: a fetch copies bytes before it sends them.
    bodySerializer: String,
    pathSerializer: pathWithIds(operation),
  } as unknown as Through
}

/**
 * The JSON of a body that a caller may have with undefined fields and dates, as the spec types it: on the wire the former
 * are absent and the latter ISO 8601. `types.test.ts` holds the two typings together.
 */
export const asBody = <Body>(given: unknown, json = JSON.stringify(given)): Body => json as Body

/** An answer of which openapi-fetch reads nothing. */
const noContent = { status: 204, headers: new Map() }
