import { Command } from 'commander'
import { describe, expect, it } from 'vitest'
import { defaultPolicy } from '../../../../checks/src/policy/in-force.js'
import type { FilePolicy } from '../../../../checks/src/policy/policy-file.js'
import { type PolicyFlags, policyOf, withPolicy } from './flags.js'

const flagsOf = (...argv: string[]): PolicyFlags =>
  withPolicy(new Command().exitOverride().configureOutput({ writeErr: () => {} }))
    .parse(argv, { from: 'user' })
    .opts()
const merged = (policy: FilePolicy, ...argv: string[]) =>
  policyOf(flagsOf(...argv), { path: 'svc.checks.json', policy })
const poor = { of: { outcome: 'poor' as const }, max: 0.05 }
const loop = { of: { signal: 'loop' }, max: 0.1 }

describe('a policy', () => {
  it('a policy without flags and file is the default one', () => {
    expect(flagsOf()).toEqual({})
    expect(policyOf(flagsOf())).toEqual(defaultPolicy)
    expect(merged({})).toEqual(defaultPolicy)
  })

  it('uses the policy of the file without flags', () => {
    const file: FilePolicy = {
      ...{ failOn: 'mixed', forbidden: ['a'], allowed: ['b'], required: ['b'], indeterminate: 'warn', rates: [loop] },
      ...{
        confidence: 0.9,
        minJudged: 0.5,
        maxTokens: 9,
        deadlineMs: 1000,
        overrides: [{ files: ['x'], failOn: 'poor' }],
      },
    }
    expect(merged(file)).toEqual(file)
  })

  it('prefers a flag over the file: lists and rates are replaced as a whole', () => {
    const file: FilePolicy = { failOn: 'mixed', forbidden: ['a'], required: ['z'], rates: [loop, poor], maxTokens: 9 }
    const policy = merged(
      file,
      '--fail-on=critical',
      '--forbid=c',
      '--forbid=d',
      '--max-rate=signal:e=50%',
      '--max-tokens=7',
    )
    expect(policy).toEqual({
      ...defaultPolicy,
      ...{ failOn: 'critical', forbidden: ['c', 'd'], required: ['z'], maxTokens: 7 },
      rates: [{ of: { signal: 'e' }, max: 0.5 }],
    })
  })

  it.each<[FilePolicy, string[], string | 'none']>([
    [{}, ['--max-rate=poor=5%'], 'none'],
    [{ rates: [poor] }, [], 'none'],
    [{ rates: [loop] }, [], 'poor'],
    [{ rates: [poor] }, ['--max-rate=signal:loop=1%'], 'poor'],
    [{ rates: [poor], failOn: 'critical' }, [], 'critical'],
    [{ rates: [poor] }, ['--fail-on=mixed'], 'mixed'],
    [{ failOn: 'none' as const }, [], 'none'],
    [{ failOn: 'none' as const }, ['--fail-on=poor'], 'poor'],
    [{ failOn: 'poor' }, ['--fail-on=none'], 'none'],
  ])('the file %j with the flags %j fails on %s', (file, flags, expected) => {
    expect(merged(file, ...flags).failOn).toBe(expected)
  })

  it('names the flag that contradicts the policy', () => {
    const reported = (...details: string[]) => expect.objectContaining({ exit: 2, details })
    expect(() => policyOf(flagsOf('--forbid=a', '--require=a', '--require=b', '--allow=a'))).toThrow(
      reported(
        'the signal "a" is required (--require) and forbidden (--forbid)',
        'the signal "b" is required (--require) and not among those that are allowed (--allow)',
      ),
    )
    expect(() => merged({ forbidden: ['a'] }, '--require=a')).toThrow(
      reported('the signal "a" is required (--require) and forbidden (svc.checks.json)'),
    )
    expect(() => merged({ overrides: [{ files: ['x/**', 'y'], forbidden: ['a'] }] }, '--require=a')).toThrow(
      reported('the signal "a" is required (--require) and forbidden (svc.checks.json, for x/**, y)'),
    )
    expect(merged({ forbidden: ['a'] }, '--require=a', '--forbid=b').forbidden).toEqual(['b'])
  })

  it.each([
    [['--max-rate=poor=5%', '--max-rate=poor=6%'], 'poor already has a rate'],
    [['--max-rate=signal:x=5%', '--max-rate=signal:x=5%'], 'signal:x already has a rate'],
    [['--max-tokens=0'], 'Expected a whole number from 1'],
    [['--min-judged=101%'], 'Expected a share'],
    [['--fail-on=bad'], 'Allowed choices are strong, mixed, poor, critical, none'],
  ])('a policy is refused with %j', (argv, message) => {
    expect(() => flagsOf(...argv)).toThrow(message)
  })
})
