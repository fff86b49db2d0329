import type { FetchLike } from '@svc/client'
import type { Choices } from '../choices.js'
import type { Process } from '../scheduler.js'

/** Requests of one fixed window, which begins with its first request. */
interface Window {
  startedAt: number
  accepted: number
  refused: number
}

/** The quota of a key in fixed windows on each surface (interface: Limits), in front of the service of a world. */
export interface Quota {
  requests: number
  windowMs: number
  /** The windows of the workspace surface. */
  windows: readonly Window[]
  /** The fetch of a process, whose requests count. */
  limit(fetch: FetchLike, process: Process, now: () => number): FetchLike
}

export function drawQuota(choices: Choices): Quota {
  const requests = choices.pick([Number.POSITIVE_INFINITY, 3, 8], 0.5)
  const windowMs = choices.pick([10_000, 4_000])
  const latencyMs = choices.pick([20, 200])
  const windows: Record<'annotation' | 'workspace', Window[]> = { annotation: [], workspace: [] }
  return {
    requests,
    windowMs,
    windows: windows.workspace,
    limit: (fetch, process, now) => async (url, init) => {
      const { pathname } = new URL(url)
      if (pathname === '/health' || !Number.isFinite(requests)) return fetch(url, init)
      const all = windows[pathname.startsWith('/public/') ? 'workspace' : 'annotation']
      const at = now()
      let last = all.at(-1)
      if (!last || at >= last.startedAt + windowMs) {
        last = { startedAt: at, accepted: 0, refused: 0 }
        all.push(last)
      }
      if (last.accepted < requests) {
        last.accepted++
        return fetch(url, init)
      }
      last.refused++
      const seconds = Math.ceil((last.startedAt + windowMs - at) / 1_000)
      // Others are sent before the refusal comes.
      await new Promise<void>((resolve) => void process.after(latencyMs, resolve))
      return new Response('{}', { status: 429, headers: { 'retry-after': String(seconds) } })
    },
  }
}

/** "One fixed window: at least 97 % of the quota, at most 2 refusals a window for each process" (design section 8). */
export function brokenQuota({ requests, windows }: Quota, processes: number): string[] {
  // The length of a window is known after the third reset, and the last window ends with the calls.
  return windows.slice(4, -1).flatMap(({ accepted, refused }, at) => {
    if (refused > 2 * processes) return [`at most 2 refusals a window, not ${refused} in window ${at + 4}`]
    if (accepted < Math.floor(0.97 * requests)) return [`97 % of the quota, not ${accepted} of ${requests}`]
    return []
  })
}
