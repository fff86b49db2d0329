const units: Record<string, number> = { b: 1, kb: 1e3, mb: 1e6, gb: 1e9 }

/** `500kB`, `32MB`, `1.5 GB`, or a number of bytes, in whole bytes; undefined when it is none of these, or less than one byte. */
export function parseSize(text: string): number | undefined {
  const [, number, unit = 'b'] = /^(\d+(?:\.\d+)?)\s*(b|kb|mb|gb)?$/i.exec(text) ?? []
  const bytes = Number(number) * (units[unit.toLowerCase()] ?? 0)
  return bytes >= 1 ? Math.floor(bytes) : undefined
}

/** `20 kB`, `1.2 MB` or `3.40 GB`. */
export function sizeText(bytes: number): string {
  if (bytes < 1e6) return `${Math.ceil(bytes / 1e3)} kB`
  return bytes < 1e9 ? `${(bytes / 1e6).toFixed(1)} MB` : `${(bytes / 1e9).toFixed(2)} GB`
}
