import { expect, test } from 'bun:test'
import { readJunit } from '../../scripts/junit.ts'

const report = `<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="bun test" tests="5" assertions="2" failures="2" skipped="2" time="5.0">
  <testsuite name="test/a.test.ts" file="test/a.test.ts" tests="4" failures="2" skipped="2" time="0.1" hostname="h">
    <testsuite name="group" file="test/a.test.ts" line="2" tests="1" failures="1" skipped="0" time="0" hostname="h">
      <testcase name="is &lt;odd&gt; &amp; &quot;quoted&quot;" classname="group" time="0.1" file="test/a.test.ts" line="3" assertions="1">
        <failure type="AssertionError" message="expect(received)&#10;second line">stack</failure>
      </testcase>
    </testsuite>
    <testcase name="slow" classname="" time="5.0" file="test/a.test.ts" line="9" assertions="0">
      <failure type="TimeoutError" message="test timed out" />
    </testcase>
    <testcase name="left out" classname="" time="0" file="test/a.test.ts" line="4" assertions="0">
      <skipped />
    </testcase>
    <testcase name="later" classname="" time="0" file="test/a.test.ts" line="5" assertions="0">
      <skipped message="later" />
    </testcase>
  </testsuite>
  <testsuite name="test/b.test.ts" file="test/b.test.ts" tests="1" failures="0" skipped="0" time="0.1" hostname="h">
    <testcase name="fine" classname="" time="0.1" file="test/b.test.ts" line="2" assertions="1" />
  </testsuite>
</testsuites>
`

test('a report is counted case by case, and each failure named', () => {
  expect(readJunit(report)).toEqual({
    passed: 1,
    failed: 2,
    skipped: 2,
    failures: [
      'test/a.test.ts: group > is <odd> & "quoted": expect(received)',
      'test/a.test.ts: slow: test timed out',
    ],
    files: ['test/a.test.ts', 'test/b.test.ts'],
  })
})

test('no report counts as nothing', () => {
  expect(readJunit('')).toEqual({ passed: 0, failed: 0, skipped: 0, failures: [], files: [] })
})
