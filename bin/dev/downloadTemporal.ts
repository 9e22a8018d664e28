/** Child process: lets the SDK download a server into a folder. Arguments: kind, folder, CLI version. */
import { TestWorkflowEnvironment } from '@temporalio/testing';

const [kind, downloadDir = '', version = ''] = process.argv.slice(2);
const environment =
  kind === 'dev-server'
    ? await TestWorkflowEnvironment.createLocal({
        server: { executable: { type: 'cached-download', downloadDir, version: `v${version}` } },
      })
    : await TestWorkflowEnvironment.createTimeSkipping({
        server: { executable: { type: 'cached-download', downloadDir } },
      });
await environment.teardown();
process.exit(0);
