// The visitor of our own pages. A shop with signed users opens a page with #user=<its token>; otherwise the browser generates a
// name.
import { session } from '../../client/storage.ts';
import { chosen, handedIn } from './handed.ts';
import { t } from './text.ts';

const handed = handedIn(location.hash);
if (handed) history.replaceState(null, '', location.pathname + location.search);
export const userToken = chosen(session.getItem('maejin:user'), handed, (name) => confirm(t('otherUser', { name })));
if (userToken) session.setItem('maejin:user', userToken);
