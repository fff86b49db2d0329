import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

/** The last commit whose message is longer; the rule holds after it. */
const before = '84120cec0271ef7d5639521088101cf56caa2997'
const types = 'build|chore|ci|docs|feat|fix|perf|refactor|revert|style|test'
const rule = new RegExp(`^(${types})(\\([a-z-]+\\))?!?: [a-z].*[^.]$`)
const isGood = (subject: string) => rule.test(subject) && subject.length <= 72

const git = (...args: string[]) =>
  execFileSync('git', args, { cwd: fileURLToPath(new URL('../..', import.meta.url)), encoding: 'utf8', stdio: 'pipe' })

/** The subjects since the rule; in a shallow clone that ends after it, all there are. Undefined outside of git. */
function subjects(): string[] | undefined {
  try {
    git('rev-parse', '--verify', 'HEAD')
  } catch {
    return undefined
  }
  try {
    git('rev-parse', '--verify', `${before}^{commit}`)
  } catch {
    return git('log', '--first-parent', '--no-merges', '--format=%s').trim().split('\n')
  }
  return git('log', '--first-parent', '--no-merges', '--format=%s', `${before}..HEAD`).trim().split('\n')
}

it('each commit message says type(scope): summary, in 72 characters at most', ({ skip }) => {
  const all = subjects()
  if (!all) return skip('this is no git repository')
  expect(all.filter((subject) => !isGood(subject))).toEqual([])
})

it.each(['Fix a bug', 'fix: Cap error bodies', 'fix(client) cap bodies', 'feat: add it.', `fix: ${'x'.repeat(68)}`])(
  'a commit message like "%s" is refused',
  (subject) => expect(isGood(subject)).toBe(false),
)
