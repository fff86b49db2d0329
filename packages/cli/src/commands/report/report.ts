import type { Command, SetAction } from '../action.js'
import { diffCommand } from './diff.js'
import { mergeCommand } from './merge.js'

export function reportCommand(report: Command, setAction: SetAction): void {
  mergeCommand(report, setAction)
  diffCommand(report, setAction)
}
