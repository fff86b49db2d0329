import { describe, expect, it } from 'vitest'
import { policyOfModule } from './policy-data.js'

/** The exports of an ES module, as Node gives them. */
const native = (exports: object): object =>
  Object.defineProperty(Object.assign(Object.create(null), exports), Symbol.toStringTag, { value: 'Module' })
/** The exports of an ES module, as compilers to CommonJS give them. */
const compiled = (exports: object): object => Object.defineProperty({ ...exports }, '__esModule', { value: true })
const checks = { failOn: 'strong' }

const notData = (kind: string) => `expected plain data as in JSON, found ${kind}`
class Policy {
  get failOn(): string {
    return 'strong'
  }
}

describe('the policy of a module', () => {
  it.each<[string, object]>([
    ['its default export', { default: checks }],
    ['its named exports without a default', checks],
    ['its default export that has a name, too', { checks, default: checks }],
    ['the fields of a CommonJS module, which it exports by name, too', { ...checks, default: checks }],
  ])('is %s', (_, exports) => {
    for (const module of [native(exports), compiled(exports)])
      expect(policyOfModule(module)).toEqual({ json: checks, rules: new Map() })
  })

  it('is what a CommonJS module exports', () => {
    const rules = { r: () => [] }
    expect(policyOfModule({ ...checks, rules })).toEqual({ json: checks, rules: new Map([['r', rules.r]]) })
  })

  it.each<[string, unknown, string]>([
    ['a class with getters', new Policy(), notData('an object of the class Policy')],
    ['a promise', (async () => checks)(), notData('a promise; await it')],
    ['a function', () => checks, notData('a function')],
    ['a Map', new Map(Object.entries(checks)), notData('an object of the class Map')],
    ['a text', 'strong', 'expected an object, as in'],
    ['a list', [checks], 'expected an object, as in'],
    ['an accessor', Object.defineProperty({}, 'failOn', { get: () => 'strong' }), `/failOn ${notData('an accessor')}`],
    ['rules in a Map', { rules: new Map([['r', () => 'bad']]) }, `/rules ${notData('an object of the class Map')}`],
    ['rules in a list', { rules: [() => 'bad'] }, '/rules expected an object of functions by name'],
    ['inherited rules', { rules: Object.create({ r: () => 'bad' }) }, `/rules ${notData('an object that inherits')}`],
    ['a rule that is a promise', { rules: { r: (async () => 'bad')() } }, `/rules/r ${notData('a promise; await it')}`],
    ['a rule that is a text', { rules: { 'a/b': 'bad' } }, '/rules/a~1b expected a function'],
    ['nothing', {}, 'exports nothing'],
  ])('is refused with its place where it is %s', (_, policy, said) => {
    for (const module of [native({ default: policy }), compiled({ default: policy }), policy])
      expect(policyOfModule(module)).toEqual({ problems: [expect.stringContaining(said)] })
  })

  it('is refused if a named export beside the default one would not be read', () => {
    for (const module of [native, compiled])
      expect(policyOfModule(module({ default: { attempts: 1 }, rules: {} }))).toEqual({
        problems: ['/rules is exported beside the default export; move it into that, or do not export it'],
      })
  })
})
