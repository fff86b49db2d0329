import type { ScenarioName } from './scenarios.js'

/** A known defect: a text of a source file, and the text in its place. */
export interface Mutant {
  name: string
  file: string
  from: string
  to: string
  /** The programs that it is searched with. Default: `uploadAll`. */
  program?: ScenarioName
}

const bulk = 'packages/bulk/src'
const client = 'packages/client/src'
const command = 'packages/cli/src/commands'
const checks = 'packages/checks/src'
const cli = 'packages/cli/src'

/** Each breaks a promise that a simulated world has to notice. */
export const mutants: readonly Mutant[] = [
  {
    name: 'an intent is written but not synced before the request',
    file: `${bulk}/ledger/journal.ts`,
    from: 'await open.file.sync()',
    to: 'await undefined',
  },
  {
    name: 'the folder is not synced after the ledger is created',
    file: `${bulk}/ledger/ledger.ts`,
    from: 'isLinked = true\n    syncFolders(disk, folder)',
    to: 'isLinked = true',
  },
  {
    name: 'an open entry is sent again without a search',
    file: `${bulk}/upload/send.ts`,
    from: "if (entry?.state === 'open' || entry?.state === 'unknown') return { ...each, entry }",
    to: '',
  },
  {
    name: 'a torn last line is kept',
    file: `${bulk}/ledger/ledger.ts`,
    from: 'if (length < size) file.truncate(length)',
    to: '',
  },
  {
    name: 'an upload that is aborted after it was sent counts as not sent',
    file: `${bulk}/upload/send.ts`,
    from: "wasSent ? { event: 'unknown', candidates: [] } : { event: 'unsent' }",
    to: "({ event: 'unsent' })",
  },
  {
    name: 'an ambiguous write counts as not stored',
    file: `${bulk}/upload/send.ts`,
    from: 'if (error instanceof AmbiguousWriteError)',
    to: 'if (false)',
  },
  {
    name: 'an upload counts as absent at once',
    file: `${bulk}/ledger/reconcile.ts`,
    from: 'isNotFound(item) && absentFrom(item) > searchedAt',
    to: 'false',
  },
  {
    name: 'a list that may lack rows proves absence',
    file: `${bulk}/ledger/reconcile.ts`,
    from: "found.result === 'missing' || item.conflict",
    to: 'item.conflict',
  },
  {
    name: 'a shard takes the uploads of its neighbour',
    file: `${bulk}/upload/prepare.ts`,
    from: '!isInShard(identity, shard)',
    to: 'false',
  },
  {
    name: 'the lock is not checked',
    file: `${bulk}/claims.ts`,
    from: 'if (first) {',
    to: 'if (false) {',
  },
  {
    name: 'an owner does not check that it was replaced before it sends',
    file: `${bulk}/ledger/ledger.ts`,
    from: 'if (!mayWrite()) throw lost(file)\n      knownSince',
    to: 'knownSince',
    program: 'machines',
  },
  {
    name: 'the next owner appends to the file of a replaced one',
    file: `${bulk}/ledger/ledger.ts`,
    from: 'former = await attempt(folder, () => replaceOwners(environment, { folder, target, expired }))',
    to: 'former = []\n    for (const each of expired) removeClaim(disk, each)',
    program: 'machines',
  },
  {
    name: 'the lease of another machine counts as expired at once',
    file: `${bulk}/ledger/lease.ts`,
    from: 'now - before.since >= leaseMs',
    to: 'true',
    program: 'machines',
  },
  {
    name: 'a row without a stamp counts as another record',
    file: `${client}/reconciliation/match.ts`,
    from: "if (match !== 'no') return 'not shown'",
    to: "return 'no'",
  },
  {
    name: 'a record of another write counts as this one',
    file: `${client}/reconciliation/match.ts`,
    from: "if (isOther) return 'no'",
    to: '',
  },
  {
    name: 'a 503 after an upload is retried without a search',
    file: `${client}/retry/policy.ts`,
    from: "write: { otherwise: 'reconcile' }",
    to: "write: { otherwise: 'reconcile', gateway: 'retry' }",
  },
  {
    name: 'the second occurrence of equal content is skipped',
    file: `${bulk}/ledger/identity.ts`,
    from: 'const count = (seen.get(text) ?? 0) + 1',
    to: 'const count = 1',
  },
  {
    name: 'the end of a ledger is searched in what one read returns',
    file: `${bulk}/ledger/journal.ts`,
    from: 'readWhole(file, chunk, from, to)',
    to: 'file.read(chunk, 0, to - from, from)',
  },
  {
    name: 'a sync that fails counts as one that succeeds',
    file: `${bulk}/ledger/journal.ts`,
    from: '} catch (error) {\n        for (const { reject } of batch) reject(error)',
    to: '} catch {\n        for (const { resolve } of batch) resolve()',
  },
  {
    name: 'zeros in place of a line that was not synced end every later run',
    file: `${bulk}/ledger/files.ts`,
    from: "else if (!text.includes('\\0')) throw",
    to: 'else throw',
  },
  {
    name: 'the folders above the ledger are not synced',
    file: `${bulk}/ledger/ledger.ts`,
    from: 'if (above !== folder) syncFolders(disk, above)',
    to: '',
  },
  {
    name: 'other calls do not wait for the end of a Retry-After',
    file: `${client}/http/send.ts`,
    from: 'opensAt: now + spreadOver(retryAfterMs, random)',
    to: 'opensAt: now',
  },
  {
    name: 'an equal record of another program counts as the own one',
    file: `${client}/reconciliation/match.ts`,
    from: "if (match !== 'no') return 'not shown'",
    to: 'return match',
  },
  {
    name: 'a shard ignores the index of its job',
    program: 'upload',
    file: `${command}/upload/input.ts`,
    from: 'shardOf(flags.shard, context.io.env)',
    to: 'flags.shard',
  },
  {
    name: 'a run that leaves a result unknown exits with 0',
    program: 'upload',
    file: `${command}/upload/run-upload.ts`,
    from: 'codes.push(code)',
    to: "if (result.result !== 'unknown') codes.push(code)",
  },
  {
    name: 'a stream that was cut off counts as read to its end',
    program: 'upload',
    file: `${bulk}/upload/result.ts`,
    from: 'isWhole && results === taken ? counts.not_sent : null',
    to: 'counts.not_sent',
  },
  {
    name: 'the last transcript of a file is not read',
    program: 'upload',
    file: 'packages/cli/src/input/read.ts',
    from: 'if (held) yield* read(held, given + 1',
    to: 'if (held && given === 0) yield* read(held, given + 1',
  },
  {
    name: 'a rebuild does not note what shows no stamp',
    program: 'uploads',
    file: `${bulk}/ledger/reconcile.ts`,
    from: 'if (key === null && !ledger.hasId(record.id)) {',
    to: 'if (false) {',
  },
  {
    name: 'a rebuild counts every list as complete',
    program: 'uploads',
    file: `${bulk}/ledger/reconcile.ts`,
    from: 'rebuilt.complete = isWhole || (!incomplete && seen === total)',
    to: 'rebuilt.complete = true',
  },
  {
    name: 'a transcript without a stamp is taken for two uploads',
    program: 'uploads',
    file: `${bulk}/ledger/entry-states.ts`,
    from: 'const isFree = (id: string) => !ids.has(id)',
    to: 'const isFree = (_: string) => true',
  },
  {
    name: 'an annotation is sent again after a time-out',
    file: `${client}/retry/policy.ts`,
    from: "compute: { otherwise: 'never',",
    to: "compute: { otherwise: 'never', timeout: 'retry',",
    program: 'client',
  },
  {
    name: 'a legacy write whose answer is lost counts as not stored',
    file: `${client}/retry/policy.ts`,
    from: "legacy: { otherwise: 'reconcile' }",
    to: "legacy: { otherwise: 'never' }",
    program: 'client',
  },
  {
    name: 'the wait that a 503 asks for is not kept',
    file: `${client}/retry/policy.ts`,
    from: 'return Math.max(backOffMs, spreadOver(retryAfterMs ?? 0, random))',
    to: 'return backOffMs',
    program: 'client',
  },
  {
    name: 'a 429 holds back its own call alone',
    file: `${client}/rate-limit/state.ts`,
    from: 'closedUntil: Math.max(state.closedUntil, opensAt)',
    to: 'closedUntil: state.closedUntil',
    program: 'client',
  },
  {
    name: 'all calls go at once after a reset',
    file: `${client}/rate-limit/state.ts`,
    from: 'probing: true }',
    to: 'probing: false }',
    program: 'client',
  },
  {
    name: 'the quota of a window is not learned',
    file: `${client}/rate-limit/state.ts`,
    from: '    quota: admitted,',
    to: '    quota: undefined,',
    program: 'client',
  },
  {
    name: 'the timer of an attempt is left behind',
    file: `${client}/http/attempt.ts`,
    from: '    cancelTimer()\n',
    to: '',
    program: 'client',
  },
  {
    name: 'a wait does not see an abort',
    file: `${client}/clock.ts`,
    from: "      else signal?.addEventListener('abort', abort)",
    to: '',
    program: 'client',
  },
  {
    name: 'an attempt outlives the deadline of its call',
    file: `${client}/http/send.ts`,
    from: 'Math.min(call.timeoutMs, deadlineAt - clock.monotonic())',
    to: 'deadlineAt > clock.monotonic() ? call.timeoutMs : 0',
    program: 'client',
  },
  {
    name: 'an abort after the request says that nothing was sent',
    file: `${client}/http/send.ts`,
    from: "return { ...exchange, sent: 'maybe' }",
    to: "return { ...exchange, sent: 'no' }",
    program: 'client',
  },
  {
    name: 'a malformed answer counts as an annotation',
    file: `${checks}/check/annotate.ts`,
    from: 'if (faults.length > 0) throw new MalformedAnnotation(faults, annotation)',
    to: '',
    program: 'check',
  },
  {
    name: 'a missing answer counts as passed',
    file: `${checks}/judge/conclude.ts`,
    from: '(isEmpty || isEnough)',
    to: 'true',
    program: 'check',
  },
  {
    name: 'an indeterminate outcome counts as passed',
    file: `${checks}/judge/judge.ts`,
    from: "if (rules.indeterminate === 'unjudged') return judged('not judged', 'indeterminate')",
    to: '',
    program: 'check',
  },
  {
    name: 'the cache gives an answer of another transcript',
    file: `${checks}/cache.ts`,
    from: '    digest,\n    annotator_version,',
    to: '    annotator_version,',
    program: 'check',
  },
  {
    name: 'the cache gives an answer of another version',
    file: `${checks}/cache.ts`,
    from: '    digest,\n    annotator_version,',
    to: '    digest,',
    program: 'check',
  },
  {
    name: 'the cached answer of the first attempt is also that of the second',
    file: `${checks}/cache.ts`,
    from: '...(attempt > 1 ? [attempt] : [])',
    to: '',
    program: 'check',
  },
  {
    name: 'a baseline waives a finding by its place',
    file: `${checks}/identity.ts`,
    from: 'each.record, each.part, contentKey(each)]',
    to: 'each.record, each.part]',
    program: 'check',
  },
  {
    name: 'a baseline waives a worse outcome',
    file: `${checks}/baseline/acceptance.ts`,
    from: 'before && isNoWorse(outcome, before.outcome) ? before : undefined',
    to: 'before',
    program: 'check',
  },
  {
    name: 'a shard leaves every unreadable file to the others',
    file: `${checks}/check/select.ts`,
    from: 'unread.filter((each) => isInShard(each, shard))',
    to: 'unread.slice(0, 0)',
    program: 'check',
  },
  {
    name: 'a report is written before the verdict',
    file: `${cli}/commands/check/check.ts`,
    from: 'await deliver(context, report, setup.delivery)',
    to: "(await deliver(context, { ...report, exit: 0, verdict: 'passed' }, setup.delivery), await deliver(context, report, setup.delivery))",
    program: 'check',
  },
  {
    name: 'a run that ends early leaves the reports of the one before',
    file: `${cli}/commands/check/check.ts`,
    from: 'if (!flags.dryRun) await reportEnd(context, flags, run, error)',
    to: '',
    program: 'check',
  },
  {
    name: 'a run that is stopped while it writes leaves reports with a verdict',
    file: `${cli}/reports.ts`,
    from: 'for (const { file } of targets) await removeReport(io, file)',
    to: '',
    program: 'check',
  },
  {
    name: 'an answer of another annotator is printed',
    file: `${checks}/check/annotate.ts`,
    from: 'if (faults.length > 0) throw new MalformedAnnotation(faults, annotation)',
    to: '',
    program: 'annotate',
  },
  {
    name: 'a transcript that failed is left out of the exit code',
    file: `${cli}/commands/annotate.ts`,
    from: "(each) => ('error' in each ? exitCodeOf(each) : exit.ok)",
    to: '() => exit.ok',
    program: 'annotate',
  },
]
