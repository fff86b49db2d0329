/** Ways in which a service may show the metadata of a record, by name: none of them shows the stamp. */
export const rowShapes: Record<string, (metadata: object) => unknown> = {
  'no metadata': () => undefined,
  null: () => null,
  'an empty object': () => ({}),
  'JSON text': (metadata) => JSON.stringify(metadata),
  'names only': (metadata) => Object.keys(metadata),
  'no svc': ({ svc: _, ...rest }: { svc?: unknown }) => rest,
  'svc: null': (metadata) => ({ ...metadata, svc: null }),
  'svc as text': (metadata) => ({ ...metadata, svc: JSON.stringify((metadata as { svc: unknown }).svc) }),
}
