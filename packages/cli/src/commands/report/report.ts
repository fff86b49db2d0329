import type { Command, SetAction } from '../action.js'
import { compareCommand } from './compare.js'
import { mergeCommand } from './merge.js'
import { sampleCommand } from './sample.js'

export function reportCommand(report: Command, setAction: SetAction): void {
  mergeCommand(report, setAction)
  compareCommand(report, setAction)
  sampleCommand(report, setAction)
}
