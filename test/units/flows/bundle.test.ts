import { expect, test } from '@jest/globals';
import { bundleOf } from '../../../domain/flows/check/bundle.ts';
import { context, sample } from './check/sample.ts';

const calling = (flow: string) => ({ ...sample, states: sample.states.map((node) => (node.type === 'call' ? { ...node, flow } : node)) });
const flows = (graph: typeof sample) => graph.states.flatMap((node) => (node.type === 'call' ? [node.flow] : []));

test('calls are pinned to the newest version, in what is shown and in what runs', () => {
  const { graph, bundle } = bundleOf(sample, context);
  expect(flows(graph)).toEqual(['visit@2']);
  expect(bundle['']).toBe(graph);
  expect(bundle['visit@2']).toBe(context.published('visit').bundle?.['']);
});
test('an earlier pin is renewed', () => {
  expect(flows(bundleOf(calling('visit@1'), context).graph)).toEqual(['visit@2']);
});
test('the bundles of called flows go along as they were pinned', () => {
  const { bundle } = bundleOf(calling('chain5'), context);
  expect(Object.keys(bundle).toSorted()).toEqual(['', 'chain5@2', 'link1@1', 'link2@1', 'link3@1', 'link4@1']);
});
test('the graph itself stays as it was', () => {
  bundleOf(sample, context);
  expect(flows(sample)).toEqual(['visit']);
});
