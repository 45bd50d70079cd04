/* SPDX-License-Identifier: Apache-2.0 */
/* Layout that callers compile against; a change here is a change of the ABI. */
#include "flexsync.h"

typedef int flx_abi_checks_need_a_declaration;
