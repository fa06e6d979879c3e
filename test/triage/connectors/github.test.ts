import { createGithubDouble } from '../../../simulator/helpdesk/github.ts';
import { createGithubConnector } from '../../../triage/connectors/github.ts';
import { PAGE, testConnectorContract } from '../../contracts/helpdesk-connector.ts';
import { createFakeClock } from '../../fake-clock.ts';

testConnectorContract('GitHub', createFakeClock, async (clock) => {
  const double = await createGithubDouble({ clock, pageSize: PAGE });
  const { owner, repo, url: baseUrl } = double;
  const connect = (token: string) =>
    createGithubConnector({
      system: 'github:acme/shop',
      owner,
      repo,
      token: { reveal: () => token },
      isPublic: false,
      clock,
      baseUrl,
    });
  return { connector: connect(double.token), stranger: connect('wrong'), double, people: double.people };
});
