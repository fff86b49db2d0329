import type { Io } from '../io.js'

/** How each report begins, whichever command wrote it. */
const beginnings: readonly RegExp[] = [
  /^\{\s*"schema":\s*"svc\/(check|report-diff|error)@\d+"/,
  /^\{\s*"\$schema":\s*"[^"]*\bsarif-[\d.]+\.json",[^[]{0,200}"runs":\[\{"tool":\{"driver":\{"name":"svc check"/,
  /^<\?xml [^>]*>\s*<testsuites name="svc check"/,
  /^## (svc check: |svc report diff: |Worse than before\n|Not worse than before\n)/,
  /^<!doctype html>\s*<html lang="en">\s*<head>\s*<meta charset="utf-8">\s*<meta name="generator" content="svc check">/,
]

/** Whether a file is a report that `svc` wrote, empty, or not there, so that nothing else is lost where it is replaced. */
export async function isReport(io: Io, file: string): Promise<boolean> {
  if (!io.isThere(file)) return true
  const found = await io.readEnds(file, 4096).catch(() => undefined)
  if (!found) return false
  const head = new TextDecoder().decode(found.head)
  return found.size === 0 || beginnings.some((beginning) => beginning.test(head))
}
