// SPDX-License-Identifier: Apache-2.0
/// @file Applies a macro to each of up to 100 arguments. Not API.
#ifndef FLEXSYNC_DETAIL_FOR_EACH_HPP
#define FLEXSYNC_DETAIL_FOR_EACH_HPP

// FLEXSYNC_FOR_EACH(do, context, a, b, …) is do(context, a) do(context, b) …: the number of arguments chooses the
// first line, and each line passes what is left to the one above it. C++17 has no way to write this once.
#define FLEXSYNC_EACH_1(do_, context, x) do_(context, x)
#define FLEXSYNC_EACH_2(do_, context, x, ...) do_(context, x) FLEXSYNC_EACH_1(do_, context, __VA_ARGS__)
#define FLEXSYNC_EACH_3(do_, context, x, ...) do_(context, x) FLEXSYNC_EACH_2(do_, context, __VA_ARGS__)
#define FLEXSYNC_EACH_4(do_, context, x, ...) do_(context, x) FLEXSYNC_EACH_3(do_, context, __VA_ARGS__)
#define FLEXSYNC_EACH_5(do_, context, x, ...) do_(context, x) FLEXSYNC_EACH_4(do_, context, __VA_ARGS__)
#define FLEXSYNC_EACH_6(do_, context, x, ...) do_(context, x) FLEXSYNC_EACH_5(do_, context, __VA_ARGS__)
#define FLEXSYNC_EACH_7(do_, context, x, ...) do_(context, x) FLEXSYNC_EACH_6(do_, context, __VA_ARGS__)
#define FLEXSYNC_EACH_8(do_, context, x, ...) do_(context, x) FLEXSYNC_EACH_7(do_, context, __VA_ARGS__)
#define FLEXSYNC_EACH_9(do_, context, x, ...) do_(context, x) FLEXSYNC_EACH_8(do_, context, __VA_ARGS__)
#define FLEXSYNC_EACH_10(do_, context, x, ...) do_(context, x) FLEXSYNC_EACH_9(do_, context, __VA_ARGS__)
#define FLEXSYNC_EACH_11(do_, context, x, ...) do_(context, x) FLEXSYNC_EACH_10(do_, context, __VA_ARGS__)
#define FLEXSYNC_EACH_12(do_, context, x, ...) do_(context, x) FLEXSYNC_EACH_11(do_, context, __VA_ARGS__)
#define FLEXSYNC_EACH_13(do_, context, x, ...) do_(context, x) FLEXSYNC_EACH_12(do_, context, __VA_ARGS__)
#define FLEXSYNC_EACH_14(do_, context, x, ...) do_(context, x) FLEXSYNC_EACH_13(do_, context, __VA_ARGS__)
#define FLEXSYNC_EACH_15(do_, context, x, ...) do_(context, x) FLEXSYNC_EACH_14(do_, context, __VA_ARGS__)
#define FLEXSYNC_EACH_16(do_, context, x, ...) do_(context, x) FLEXSYNC_EACH_15(do_, context, __VA_ARGS__)
#define FLEXSYNC_EACH_17(do_, context, x, ...) do_(context, x) FLEXSYNC_EACH_16(do_, context, __VA_ARGS__)
#define FLEXSYNC_EACH_18(do_, context, x, ...) do_(context, x) FLEXSYNC_EACH_17(do_, context, __VA_ARGS__)
#define FLEXSYNC_EACH_19(do_, context, x, ...) do_(context, x) FLEXSYNC_EACH_18(do_, context, __VA_ARGS__)
#define FLEXSYNC_EACH_20(do_, context, x, ...) do_(context, x) FLEXSYNC_EACH_19(do_, context, __VA_ARGS__)
#define FLEXSYNC_EACH_21(do_, context, x, ...) do_(context, x) FLEXSYNC_EACH_20(do_, context, __VA_ARGS__)
#define FLEXSYNC_EACH_22(do_, context, x, ...) do_(context, x) FLEXSYNC_EACH_21(do_, context, __VA_ARGS__)
#define FLEXSYNC_EACH_23(do_, context, x, ...) do_(context, x) FLEXSYNC_EACH_22(do_, context, __VA_ARGS__)
#define FLEXSYNC_EACH_24(do_, context, x, ...) do_(context, x) FLEXSYNC_EACH_23(do_, context, __VA_ARGS__)
#define FLEXSYNC_EACH_25(do_, context, x, ...) do_(context, x) FLEXSYNC_EACH_24(do_, context, __VA_ARGS__)
#define FLEXSYNC_EACH_26(do_, context, x, ...) do_(context, x) FLEXSYNC_EACH_25(do_, context, __VA_ARGS__)
#define FLEXSYNC_EACH_27(do_, context, x, ...) do_(context, x) FLEXSYNC_EACH_26(do_, context, __VA_ARGS__)
#define FLEXSYNC_EACH_28(do_, context, x, ...) do_(context, x) FLEXSYNC_EACH_27(do_, context, __VA_ARGS__)
#define FLEXSYNC_EACH_29(do_, context, x, ...) do_(context, x) FLEXSYNC_EACH_28(do_, context, __VA_ARGS__)
#define FLEXSYNC_EACH_30(do_, context, x, ...) do_(context, x) FLEXSYNC_EACH_29(do_, context, __VA_ARGS__)
#define FLEXSYNC_EACH_31(do_, context, x, ...) do_(context, x) FLEXSYNC_EACH_30(do_, context, __VA_ARGS__)
#define FLEXSYNC_EACH_32(do_, context, x, ...) do_(context, x) FLEXSYNC_EACH_31(do_, context, __VA_ARGS__)
#define FLEXSYNC_EACH_33(do_, context, x, ...) do_(context, x) FLEXSYNC_EACH_32(do_, context, __VA_ARGS__)
#define FLEXSYNC_EACH_34(do_, context, x, ...) do_(context, x) FLEXSYNC_EACH_33(do_, context, __VA_ARGS__)
#define FLEXSYNC_EACH_35(do_, context, x, ...) do_(context, x) FLEXSYNC_EACH_34(do_, context, __VA_ARGS__)
#define FLEXSYNC_EACH_36(do_, context, x, ...) do_(context, x) FLEXSYNC_EACH_35(do_, context, __VA_ARGS__)
#define FLEXSYNC_EACH_37(do_, context, x, ...) do_(context, x) FLEXSYNC_EACH_36(do_, context, __VA_ARGS__)
#define FLEXSYNC_EACH_38(do_, context, x, ...) do_(context, x) FLEXSYNC_EACH_37(do_, context, __VA_ARGS__)
#define FLEXSYNC_EACH_39(do_, context, x, ...) do_(context, x) FLEXSYNC_EACH_38(do_, context, __VA_ARGS__)
#define FLEXSYNC_EACH_40(do_, context, x, ...) do_(context, x) FLEXSYNC_EACH_39(do_, context, __VA_ARGS__)
#define FLEXSYNC_EACH_41(do_, context, x, ...) do_(context, x) FLEXSYNC_EACH_40(do_, context, __VA_ARGS__)
#define FLEXSYNC_EACH_42(do_, context, x, ...) do_(context, x) FLEXSYNC_EACH_41(do_, context, __VA_ARGS__)
#define FLEXSYNC_EACH_43(do_, context, x, ...) do_(context, x) FLEXSYNC_EACH_42(do_, context, __VA_ARGS__)
#define FLEXSYNC_EACH_44(do_, context, x, ...) do_(context, x) FLEXSYNC_EACH_43(do_, context, __VA_ARGS__)
#define FLEXSYNC_EACH_45(do_, context, x, ...) do_(context, x) FLEXSYNC_EACH_44(do_, context, __VA_ARGS__)
#define FLEXSYNC_EACH_46(do_, context, x, ...) do_(context, x) FLEXSYNC_EACH_45(do_, context, __VA_ARGS__)
#define FLEXSYNC_EACH_47(do_, context, x, ...) do_(context, x) FLEXSYNC_EACH_46(do_, context, __VA_ARGS__)
#define FLEXSYNC_EACH_48(do_, context, x, ...) do_(context, x) FLEXSYNC_EACH_47(do_, context, __VA_ARGS__)
#define FLEXSYNC_EACH_49(do_, context, x, ...) do_(context, x) FLEXSYNC_EACH_48(do_, context, __VA_ARGS__)
#define FLEXSYNC_EACH_50(do_, context, x, ...) do_(context, x) FLEXSYNC_EACH_49(do_, context, __VA_ARGS__)
#define FLEXSYNC_EACH_51(do_, context, x, ...) do_(context, x) FLEXSYNC_EACH_50(do_, context, __VA_ARGS__)
#define FLEXSYNC_EACH_52(do_, context, x, ...) do_(context, x) FLEXSYNC_EACH_51(do_, context, __VA_ARGS__)
#define FLEXSYNC_EACH_53(do_, context, x, ...) do_(context, x) FLEXSYNC_EACH_52(do_, context, __VA_ARGS__)
#define FLEXSYNC_EACH_54(do_, context, x, ...) do_(context, x) FLEXSYNC_EACH_53(do_, context, __VA_ARGS__)
#define FLEXSYNC_EACH_55(do_, context, x, ...) do_(context, x) FLEXSYNC_EACH_54(do_, context, __VA_ARGS__)
#define FLEXSYNC_EACH_56(do_, context, x, ...) do_(context, x) FLEXSYNC_EACH_55(do_, context, __VA_ARGS__)
#define FLEXSYNC_EACH_57(do_, context, x, ...) do_(context, x) FLEXSYNC_EACH_56(do_, context, __VA_ARGS__)
#define FLEXSYNC_EACH_58(do_, context, x, ...) do_(context, x) FLEXSYNC_EACH_57(do_, context, __VA_ARGS__)
#define FLEXSYNC_EACH_59(do_, context, x, ...) do_(context, x) FLEXSYNC_EACH_58(do_, context, __VA_ARGS__)
#define FLEXSYNC_EACH_60(do_, context, x, ...) do_(context, x) FLEXSYNC_EACH_59(do_, context, __VA_ARGS__)
#define FLEXSYNC_EACH_61(do_, context, x, ...) do_(context, x) FLEXSYNC_EACH_60(do_, context, __VA_ARGS__)
#define FLEXSYNC_EACH_62(do_, context, x, ...) do_(context, x) FLEXSYNC_EACH_61(do_, context, __VA_ARGS__)
#define FLEXSYNC_EACH_63(do_, context, x, ...) do_(context, x) FLEXSYNC_EACH_62(do_, context, __VA_ARGS__)
#define FLEXSYNC_EACH_64(do_, context, x, ...) do_(context, x) FLEXSYNC_EACH_63(do_, context, __VA_ARGS__)
#define FLEXSYNC_EACH_65(do_, context, x, ...) do_(context, x) FLEXSYNC_EACH_64(do_, context, __VA_ARGS__)
#define FLEXSYNC_EACH_66(do_, context, x, ...) do_(context, x) FLEXSYNC_EACH_65(do_, context, __VA_ARGS__)
#define FLEXSYNC_EACH_67(do_, context, x, ...) do_(context, x) FLEXSYNC_EACH_66(do_, context, __VA_ARGS__)
#define FLEXSYNC_EACH_68(do_, context, x, ...) do_(context, x) FLEXSYNC_EACH_67(do_, context, __VA_ARGS__)
#define FLEXSYNC_EACH_69(do_, context, x, ...) do_(context, x) FLEXSYNC_EACH_68(do_, context, __VA_ARGS__)
#define FLEXSYNC_EACH_70(do_, context, x, ...) do_(context, x) FLEXSYNC_EACH_69(do_, context, __VA_ARGS__)
#define FLEXSYNC_EACH_71(do_, context, x, ...) do_(context, x) FLEXSYNC_EACH_70(do_, context, __VA_ARGS__)
#define FLEXSYNC_EACH_72(do_, context, x, ...) do_(context, x) FLEXSYNC_EACH_71(do_, context, __VA_ARGS__)
#define FLEXSYNC_EACH_73(do_, context, x, ...) do_(context, x) FLEXSYNC_EACH_72(do_, context, __VA_ARGS__)
#define FLEXSYNC_EACH_74(do_, context, x, ...) do_(context, x) FLEXSYNC_EACH_73(do_, context, __VA_ARGS__)
#define FLEXSYNC_EACH_75(do_, context, x, ...) do_(context, x) FLEXSYNC_EACH_74(do_, context, __VA_ARGS__)
#define FLEXSYNC_EACH_76(do_, context, x, ...) do_(context, x) FLEXSYNC_EACH_75(do_, context, __VA_ARGS__)
#define FLEXSYNC_EACH_77(do_, context, x, ...) do_(context, x) FLEXSYNC_EACH_76(do_, context, __VA_ARGS__)
#define FLEXSYNC_EACH_78(do_, context, x, ...) do_(context, x) FLEXSYNC_EACH_77(do_, context, __VA_ARGS__)
#define FLEXSYNC_EACH_79(do_, context, x, ...) do_(context, x) FLEXSYNC_EACH_78(do_, context, __VA_ARGS__)
#define FLEXSYNC_EACH_80(do_, context, x, ...) do_(context, x) FLEXSYNC_EACH_79(do_, context, __VA_ARGS__)
#define FLEXSYNC_EACH_81(do_, context, x, ...) do_(context, x) FLEXSYNC_EACH_80(do_, context, __VA_ARGS__)
#define FLEXSYNC_EACH_82(do_, context, x, ...) do_(context, x) FLEXSYNC_EACH_81(do_, context, __VA_ARGS__)
#define FLEXSYNC_EACH_83(do_, context, x, ...) do_(context, x) FLEXSYNC_EACH_82(do_, context, __VA_ARGS__)
#define FLEXSYNC_EACH_84(do_, context, x, ...) do_(context, x) FLEXSYNC_EACH_83(do_, context, __VA_ARGS__)
#define FLEXSYNC_EACH_85(do_, context, x, ...) do_(context, x) FLEXSYNC_EACH_84(do_, context, __VA_ARGS__)
#define FLEXSYNC_EACH_86(do_, context, x, ...) do_(context, x) FLEXSYNC_EACH_85(do_, context, __VA_ARGS__)
#define FLEXSYNC_EACH_87(do_, context, x, ...) do_(context, x) FLEXSYNC_EACH_86(do_, context, __VA_ARGS__)
#define FLEXSYNC_EACH_88(do_, context, x, ...) do_(context, x) FLEXSYNC_EACH_87(do_, context, __VA_ARGS__)
#define FLEXSYNC_EACH_89(do_, context, x, ...) do_(context, x) FLEXSYNC_EACH_88(do_, context, __VA_ARGS__)
#define FLEXSYNC_EACH_90(do_, context, x, ...) do_(context, x) FLEXSYNC_EACH_89(do_, context, __VA_ARGS__)
#define FLEXSYNC_EACH_91(do_, context, x, ...) do_(context, x) FLEXSYNC_EACH_90(do_, context, __VA_ARGS__)
#define FLEXSYNC_EACH_92(do_, context, x, ...) do_(context, x) FLEXSYNC_EACH_91(do_, context, __VA_ARGS__)
#define FLEXSYNC_EACH_93(do_, context, x, ...) do_(context, x) FLEXSYNC_EACH_92(do_, context, __VA_ARGS__)
#define FLEXSYNC_EACH_94(do_, context, x, ...) do_(context, x) FLEXSYNC_EACH_93(do_, context, __VA_ARGS__)
#define FLEXSYNC_EACH_95(do_, context, x, ...) do_(context, x) FLEXSYNC_EACH_94(do_, context, __VA_ARGS__)
#define FLEXSYNC_EACH_96(do_, context, x, ...) do_(context, x) FLEXSYNC_EACH_95(do_, context, __VA_ARGS__)
#define FLEXSYNC_EACH_97(do_, context, x, ...) do_(context, x) FLEXSYNC_EACH_96(do_, context, __VA_ARGS__)
#define FLEXSYNC_EACH_98(do_, context, x, ...) do_(context, x) FLEXSYNC_EACH_97(do_, context, __VA_ARGS__)
#define FLEXSYNC_EACH_99(do_, context, x, ...) do_(context, x) FLEXSYNC_EACH_98(do_, context, __VA_ARGS__)
#define FLEXSYNC_EACH_100(do_, context, x, ...) do_(context, x) FLEXSYNC_EACH_99(do_, context, __VA_ARGS__)

#define FLEXSYNC_PICK_EACH(_1, _2, _3, _4, _5, _6, _7, _8, _9, _10, _11, _12, _13, _14, _15, _16, _17, _18, \
  _19, _20, _21, _22, _23, _24, _25, _26, _27, _28, _29, _30, _31, _32, _33, _34, _35, _36, _37, _38, _39, _40, \
  _41, _42, _43, _44, _45, _46, _47, _48, _49, _50, _51, _52, _53, _54, _55, _56, _57, _58, _59, _60, _61, _62, \
  _63, _64, _65, _66, _67, _68, _69, _70, _71, _72, _73, _74, _75, _76, _77, _78, _79, _80, _81, _82, _83, _84, \
  _85, _86, _87, _88, _89, _90, _91, _92, _93, _94, _95, _96, _97, _98, _99, _100, name, ...) name
#define FLEXSYNC_FOR_EACH(do_, context, ...) \
  FLEXSYNC_PICK_EACH(__VA_ARGS__, FLEXSYNC_EACH_100, FLEXSYNC_EACH_99, FLEXSYNC_EACH_98, FLEXSYNC_EACH_97, \
    FLEXSYNC_EACH_96, FLEXSYNC_EACH_95, FLEXSYNC_EACH_94, FLEXSYNC_EACH_93, FLEXSYNC_EACH_92, FLEXSYNC_EACH_91, \
    FLEXSYNC_EACH_90, FLEXSYNC_EACH_89, FLEXSYNC_EACH_88, FLEXSYNC_EACH_87, FLEXSYNC_EACH_86, FLEXSYNC_EACH_85, \
    FLEXSYNC_EACH_84, FLEXSYNC_EACH_83, FLEXSYNC_EACH_82, FLEXSYNC_EACH_81, FLEXSYNC_EACH_80, FLEXSYNC_EACH_79, \
    FLEXSYNC_EACH_78, FLEXSYNC_EACH_77, FLEXSYNC_EACH_76, FLEXSYNC_EACH_75, FLEXSYNC_EACH_74, FLEXSYNC_EACH_73, \
    FLEXSYNC_EACH_72, FLEXSYNC_EACH_71, FLEXSYNC_EACH_70, FLEXSYNC_EACH_69, FLEXSYNC_EACH_68, FLEXSYNC_EACH_67, \
    FLEXSYNC_EACH_66, FLEXSYNC_EACH_65, FLEXSYNC_EACH_64, FLEXSYNC_EACH_63, FLEXSYNC_EACH_62, FLEXSYNC_EACH_61, \
    FLEXSYNC_EACH_60, FLEXSYNC_EACH_59, FLEXSYNC_EACH_58, FLEXSYNC_EACH_57, FLEXSYNC_EACH_56, FLEXSYNC_EACH_55, \
    FLEXSYNC_EACH_54, FLEXSYNC_EACH_53, FLEXSYNC_EACH_52, FLEXSYNC_EACH_51, FLEXSYNC_EACH_50, FLEXSYNC_EACH_49, \
    FLEXSYNC_EACH_48, FLEXSYNC_EACH_47, FLEXSYNC_EACH_46, FLEXSYNC_EACH_45, FLEXSYNC_EACH_44, FLEXSYNC_EACH_43, \
    FLEXSYNC_EACH_42, FLEXSYNC_EACH_41, FLEXSYNC_EACH_40, FLEXSYNC_EACH_39, FLEXSYNC_EACH_38, FLEXSYNC_EACH_37, \
    FLEXSYNC_EACH_36, FLEXSYNC_EACH_35, FLEXSYNC_EACH_34, FLEXSYNC_EACH_33, FLEXSYNC_EACH_32, FLEXSYNC_EACH_31, \
    FLEXSYNC_EACH_30, FLEXSYNC_EACH_29, FLEXSYNC_EACH_28, FLEXSYNC_EACH_27, FLEXSYNC_EACH_26, FLEXSYNC_EACH_25, \
    FLEXSYNC_EACH_24, FLEXSYNC_EACH_23, FLEXSYNC_EACH_22, FLEXSYNC_EACH_21, FLEXSYNC_EACH_20, FLEXSYNC_EACH_19, \
    FLEXSYNC_EACH_18, FLEXSYNC_EACH_17, FLEXSYNC_EACH_16, FLEXSYNC_EACH_15, FLEXSYNC_EACH_14, FLEXSYNC_EACH_13, \
    FLEXSYNC_EACH_12, FLEXSYNC_EACH_11, FLEXSYNC_EACH_10, FLEXSYNC_EACH_9, FLEXSYNC_EACH_8, FLEXSYNC_EACH_7, \
    FLEXSYNC_EACH_6, FLEXSYNC_EACH_5, FLEXSYNC_EACH_4, FLEXSYNC_EACH_3, FLEXSYNC_EACH_2, FLEXSYNC_EACH_1, unused)(do_, context, __VA_ARGS__)

#endif
