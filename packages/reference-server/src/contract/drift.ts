import type { SeenReading } from '../ambiguities/index.js'
import { type ContractResult, readingText } from './contract-result.js'

/** A rule or ambiguity that was tried before and is tried again. */
export interface Compared {
  /** A rule of the interface, or an ambiguity. */
  kind: 'rule' | 'ambiguity'
  /** The name of the rule or ambiguity. */
  name: string
  /** `not judged`: it was seen before and is not seen now. */
  result: 'same' | 'different' | 'not judged'
  /** What the earlier run saw, as text. */
  before: string
  /** What this run saw, as text. */
  now: string
  /** A rule that differs as before, but for another reason. That may be drift, or depend on what else is stored: it decides nothing. */
  isOtherwise?: boolean
}

/** How a service has changed since an earlier run. */
export interface Drift {
  /** `different` if anything is; else `not judged` if anything that was seen before is not seen now. */
  verdict: 'same' | 'different' | 'not judged'
  /** All that the earlier run saw. */
  compared: readonly Compared[]
}

/** Compare two runs. What the earlier one did not see is not compared. */
export function compareContracts(before: ContractResult, now: ContractResult): Drift {
  const compared = [...comparedReadings(before, now), ...comparedRules(before, now)]
  const has = (result: Compared['result']) => compared.some((each) => each.result === result)
  return {
    verdict: has('different') ? 'different' : has('not judged') || compared.length === 0 ? 'not judged' : 'same',
    compared,
  }
}

function comparedRules(before: ContractResult, now: ContractResult): Compared[] {
  return before.rules.flatMap((rule): Compared[] => {
    if (rule.result === 'not tried') return []
    const { result: current = 'not tried', reason = 'there is no such rule' } =
      now.rules.find(({ name }) => name === rule.name) ?? {}
    const result = current === 'not tried' ? 'not judged' : current === rule.result ? 'same' : 'different'
    const isOtherwise = result === 'same' && current === 'different' && !isSameReason(rule.reason, reason)
    return [
      {
        kind: 'rule',
        name: rule.name,
        result,
        before: rule.result === 'different' ? `different: ${rule.reason}` : rule.result,
        now: current === 'as described' ? current : `${current}: ${reason}`,
        ...(isOtherwise && { isOtherwise }),
      },
    ]
  })
}

/** True if a rule differs in the same way: ids, words of a run, times and other numbers are new each time. */
function isSameReason(before = '', now = ''): boolean {
  const plain = (reason: string) => reason.replace(/[\w:.-]+/g, (word) => (/\d/.test(word) ? '0' : word))
  return plain(before) === plain(now)
}

function comparedReadings(before: ContractResult, now: ContractResult): Compared[] {
  // A lag is seen by polls, so two runs may differ by one poll of each.
  const slackMs = before.poll_ms + now.poll_ms
  return Object.entries(before.ambiguities).flatMap(([name, earlier]): Compared[] => {
    const current: SeenReading = now.ambiguities[name as keyof typeof now.ambiguities] ?? { notSeen: 'not asked' }
    const isLag = name === 'listLagMs' || name === 'filterLagMs'
    const result = isLag ? lagResult(earlier, current, slackMs) : readingResult(earlier, current)
    return result ? [{ kind: 'ambiguity', name, result, before: readingText(earlier), now: readingText(current) }] : []
  })
}

function readingResult(before: SeenReading, now: SeenReading): Compared['result'] | undefined {
  if (!('reading' in before)) return undefined
  if (!('reading' in now)) return 'not judged'
  return before.reading === now.reading ? 'same' : 'different'
}

/** A lag below one poll compares as 0. */
function lagResult(before: SeenReading, now: SeenReading, slackMs: number): Compared['result'] | undefined {
  const [earlier, current] = [before, now].map((seen) =>
    'reading' in seen ? Number(seen.reading) : seen.belowMs === undefined ? undefined : 0,
  )
  if (earlier === undefined) return undefined
  if (current === undefined) return 'not judged'
  return Math.abs(earlier - current) <= slackMs ? 'same' : 'different'
}
