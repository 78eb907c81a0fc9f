#pragma once
// The structs behind the fake CUDA driver's handles; shared by fake_cuda and fake_cupti.
struct FakeContext {
  unsigned id;
  unsigned device;
};
struct FakeStream {
  bool is_alive;
  unsigned id;
  FakeContext* context;
};
