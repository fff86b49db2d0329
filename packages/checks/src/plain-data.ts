import { types } from 'node:util'
import { cut, maxDepth, pointerOf } from '@svc/text'
import { CheckError } from './check-error.js'

/** A copy of plain data, or the JSON pointer and the reason of each part that is none. */
export type PlainData = { value: unknown } | { problems: string[] }

/** True for a value that is used as it is: a function that is a rule, or a handle such as a client. */
export type IsHandle = (path: readonly string[], value: unknown) => boolean

const mostProblems = 20
const mostObjects = 1 << 22

// The code of a policy may replace these, and its thread needs them afterwards.
const { defineProperty, getOwnPropertyDescriptor, getPrototypeOf } = Object
const { ownKeys } = Reflect
const { isArray } = Array
const isFiniteNumber = Number.isFinite
const { isPromise } = types
const objectPrototype = Object.prototype
const { toStringTag } = Symbol
const namesOfObjects = new Set(ownKeys(objectPrototype))

/**
 * Copy what JSON can express: texts, finite numbers, booleans, null, lists, and objects without a class. Each field is read
 * once, so that no later reading can give another value. A field that is undefined is absent. Anything else is a problem,
 * because it would count as less than it seems to be: a Map, or an object that inherits its fields, has none of its own.
 */
export function plainData(value: unknown, isHandle: IsHandle = () => false): PlainData {
  const problems: string[] = []
  const path: string[] = []
  const ancestors: object[] = []
  let objects = 0

  const refuse = (kind: string): undefined => {
    const place = pointerOf(path)
    if (problems.length < mostProblems)
      problems[problems.length] = `${place && `${place} `}expected plain data as in JSON, found ${kind}`
  }

  function copyField(name: string, field: PropertyDescriptor | undefined): unknown {
    path[path.length] = name
    const copied =
      !field || !('value' in field)
        ? refuse('an accessor')
        : field.enumerable
          ? copy(field.value)
          : refuse('a field that is not enumerable')
    path.length--
    return copied
  }

  function copyList(list: object): unknown {
    if (!isPlainList(list)) return refuse(classText(list))
    const length: number = getOwnPropertyDescriptor(list, 'length')?.value
    if (ownKeys(list).length !== length + 1) return refuse('a list with gaps or with names')
    const copied: unknown[] = []
    for (let at = 0; at < length; at++) copied[at] = copyField(`${at}`, getOwnPropertyDescriptor(list, at))
    return copied
  }

  function copyObject(object: object): unknown {
    if (!isPlainObject(object)) return refuse(classText(object))
    const copied: Record<string, unknown> = {}
    const names = ownKeys(object)
    for (let at = 0; at < names.length; at++) {
      const name = names[at] as string | symbol
      const field = getOwnPropertyDescriptor(object, name)
      const isMark = field?.enumerable === false && (name === '__esModule' || name === toStringTag)
      if (isMark || (field && 'value' in field && field.value === undefined)) continue
      if (typeof name === 'symbol') {
        refuse('a symbol as a name')
        continue
      }
      const value = copyField(name, field)
      // An assignment would set the prototype.
      if (name === '__proto__')
        defineProperty(copied, name, { value, configurable: true, enumerable: true, writable: true })
      else copied[name] = value
    }
    return copied
  }

  function copy(value: unknown): unknown {
    if (value === null || typeof value === 'string' || typeof value === 'boolean') return value
    if (typeof value === 'number' && isFiniteNumber(value)) return value
    if (isHandle(path, value)) return value
    if (value === undefined) return refuse('undefined')
    if (typeof value !== 'object') return refuse(typeof value === 'number' ? `${value}` : `a ${typeof value}`)
    const depth = ancestors.length
    objects++
    if (objects > mostObjects) return objects > mostObjects + 1 ? undefined : refuse(`more than ${mostObjects} objects`)
    if (depth >= maxDepth) return refuse(`more than ${maxDepth} levels of nesting`)
    for (let at = 0; at < depth; at++) if (ancestors[at] === value) return refuse('a circle')
    ancestors[depth] = value
    try {
      return isArray(value) ? copyList(value) : copyObject(value)
    } catch {
      return refuse('a value that cannot be read')
    } finally {
      ancestors.length = depth
    }
  }

  const copied = value === undefined ? undefined : copy(value)
  return problems.length > 0 ? { problems } : { value: copied }
}

/**
 * `plainData` of a value that a program gives, named as `of`.
 *
 * @throws {CheckError} with the code `invalid_option` and the JSON pointer of each problem
 */
export function requirePlainData(value: unknown, of: string, isHandle?: IsHandle): unknown {
  const data = plainData(value, isHandle)
  if ('problems' in data) throw notPlain(of, data.problems)
  return data.value
}

export const notPlain = (of: string, [first, ...others]: readonly string[], hint?: string): CheckError =>
  new CheckError('invalid_option', `${of}: ${first}.`, { details: others, ...(hint !== undefined && { hint }) })

/** True without a prototype, and for `Object.prototype`, also that of another realm: it has no prototype and no more names. */
function isPlainObject(object: object): boolean {
  const prototype = getPrototypeOf(object)
  if (prototype === null || prototype === objectPrototype) return true
  if (getPrototypeOf(prototype) !== null) return false
  const names = ownKeys(prototype)
  for (let at = 0; at < names.length; at++) if (!namesOfObjects.has(names[at] as string)) return false
  return true
}

/** True for `Array.prototype`, also that of another realm. A class that extends it is one step further away. */
function isPlainList(list: object): boolean {
  const prototype = getPrototypeOf(list)
  const root = prototype && getPrototypeOf(prototype)
  return root !== null && getPrototypeOf(root) === null
}

function classText(value: object): string {
  const { constructor: of, then } = value as { constructor?: { name?: unknown }; then?: unknown }
  if (isPromise(value) || typeof then === 'function') return 'a promise; await it'
  const name = of?.name
  const isNamed = typeof name === 'string' && name !== '' && name !== 'Object'
  return isNamed ? `an object of the class ${cut(name, 60)}` : 'an object that inherits from another one'
}
