// The visitor of our own pages. A shop with signed users opens a page with #user=<its token>; otherwise the browser generates a
// name.
import { session } from '../../client/storage.ts';

const handed = /[#&]user=([^&]+)/.exec(location.hash)?.[1];
if (handed) {
  session.setItem('maejin:user', decodeURIComponent(handed));
  history.replaceState(null, '', location.pathname + location.search);
}
export const userToken = session.getItem('maejin:user');
