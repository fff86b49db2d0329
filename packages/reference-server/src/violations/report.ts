import { count, escapeLine, escapeXmlAttribute } from '@svc/text'
import { nameOf, type RequestViolation, type Violations } from './violations.js'

/** A line for people: the operation, the place, the problem, and how many requests have it. */
export function violationLine(violation: RequestViolation): string {
  const { in: part, name, problem, requests } = violation
  const place = name === '' ? part : `${part} ${name}`
  return escapeLine(`${nameOf(violation)}: ${place}: ${problem}${requests > 1 ? ` (${requests} requests)` : ''}`)
}

/** The number of requests and violations, and what was not checked, on one line. */
export function violationSummary(violations: Violations): string {
  const { requests, unchecked, dropped } = violations
  const violationCount = count(violations.list().length, 'violation')
  const more = dropped > 0 ? ` and ${dropped} more` : ''
  const open = unchecked > 0 ? `; ${unchecked} had a body that was refused unread and is not checked` : ''
  return `${count(requests, 'request')}, ${violationCount}${more} of the interface${open}`
}

/** The report as a JSON document. */
export const violationDocument = (violations: Violations) => ({
  requests: violations.requests,
  unchecked: violations.unchecked,
  dropped: violations.dropped,
  violations: violations.list(),
})

/** The report as JUnit XML: a test case for each operation that was called. */
export function violationJUnit(violations: Violations): string {
  const list = violations.list()
  const failing = new Set(list.map(nameOf))
  const cases = [...new Set([...violations.operations.keys(), ...failing])].map((name) => {
    const ofOperation = list.filter((each) => nameOf(each) === name)
    const attributes = `classname="svc mock --check" name="${escapeXmlAttribute(name)}"`
    if (ofOperation.length === 0) return `    <testcase ${attributes}/>`
    const lines = ofOperation.map((each) => `      <failure message="${escapeXmlAttribute(violationLine(each))}"/>`)
    return [`    <testcase ${attributes}>`, ...lines, '    </testcase>'].join('\n')
  })
  const counts = `tests="${cases.length}" failures="${failing.size}"`
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="svc mock --check" ${counts}>`,
    `  <testsuite name="${escapeXmlAttribute(violationSummary(violations))}" ${counts}>`,
    ...cases,
    '  </testsuite>',
    '</testsuites>',
    '',
  ].join('\n')
}
