/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FLEXSYNC_H
#define FLEXSYNC_H
#endif
