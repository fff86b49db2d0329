const withValues = (metadata: object, change: (value: string) => string) => {
  const { svc = {} } = metadata as { svc?: object }
  const changed = Object.entries(svc).map(([name, value]) => [name, typeof value === 'string' ? change(value) : value])
  return { ...metadata, svc: Object.fromEntries(changed) }
}

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
  'svc masked': (metadata) => withValues(metadata, () => 'REDACTED'),
  'svc cut off': (metadata) => withValues(metadata, (value) => value.slice(0, 16)),
  'svc replaced': (metadata) => withValues(metadata, (value) => `token-${value.slice(0, 8)}`),
}
